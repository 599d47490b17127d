-- One for each filter of the tools; what each costs a flush: docs/decisions/0010. Those over many rows carry the time,
-- so that the newest come first without a sort; a session has few rows. The id and the time have theirs since 001.
create index session_events_by_tipo on session_events (tipo, occurred_at);
create index session_events_by_agente on session_events (agente, occurred_at);
create index session_events_by_session on session_events (session_id);
create index session_events_by_project on session_events (project_id, occurred_at);

-- Where a record lay, as one number: a row keeps it, while a vacuum gives out new row numbers. Nearly appended to.
create index session_events_by_place on session_events (log_offset * 4096 + partition % 4096);

-- Evidence and traces, whose ids are random: the last eight digits of each are words of a full-text index, which gathers
-- them in memory and merges them in order; a b-tree would touch a page for each. It keeps no text, only places. A word
-- leads to few rows too many (another topic's, other ids with the same end), so whoever asks compares the row
-- (`where.ts`). The sink writes it, no trigger: with one, every row becomes a statement within a statement, for which
-- SQLite saves each page before it is touched. A deleted event leaves its words here, which then lead nowhere.
create virtual table session_event_words using fts5 (words, content = '', detail = none, columnsize = 0, tokenize = 'ascii');

-- Sixteen pieces are merged at a time, not four: fewer times, and still bit by bit with the writing.
insert into session_event_words (session_event_words, rank) values ('automerge', 16), ('crisismerge', 64);

insert into session_event_words (rowid, words)
select log_offset * 4096 + partition % 4096 as place,
  (select group_concat(substr(value, -8), ' ') from (
    select value from json_each(evidence_event_ids) union all select trace_id where trace_id is not null))
from session_events where evidence_event_ids <> '[]' or trace_id is not null order by place;
