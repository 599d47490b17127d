-- One for each filter of the tools; what each costs a flush: docs/decisions/0010. Those over many rows carry the time,
-- so that the newest come first without a sort; a session has few rows. The id and the time have theirs since 001.
create index session_events_by_tipo on session_events (tipo, occurred_at);
create index session_events_by_agente on session_events (agente, occurred_at);
create index session_events_by_session on session_events (session_id);
create index session_events_by_project on session_events (project_id, occurred_at);
create index session_events_by_trace on session_events (trace_id) where trace_id is not null;

-- The ids of evidence are words of a full-text index, which gathers random keys in memory and merges them in order; a
-- table of (evidence, event) would touch a random page for each. It names events by their id: the row numbers of
-- session_events change with a vacuum. A deleted event leaves its words here, which then lead nowhere.
create virtual table session_event_evidence using fts5 (
  id unindexed, evidence_event_ids, detail = none, columnsize = 0, tokenize = "ascii tokenchars '-'"
);

insert into session_event_evidence (id, evidence_event_ids)
select id, evidence_event_ids from session_events where evidence_event_ids <> '[]' order by rowid;

create trigger session_events_evidence after insert on session_events when new.evidence_event_ids <> '[]'
begin
  insert into session_event_evidence (id, evidence_event_ids) values (new.id, new.evidence_event_ids);
end;
