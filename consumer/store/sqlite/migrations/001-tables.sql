-- The tables are an interface: maintainers read them with SQL. Times are RFC 3339 text in UTC with milliseconds.

-- Ids are random (UUID v5), so the key is a unique index beside the row number: rows are appended, only the index is hit
-- at random. Measured at three times the insert rate of a table ordered by the id.
create table session_events (
  id                 text not null unique check (length(id) = 36),
  type               text not null,
  session_id         text not null check (length(session_id) = 36),
  project_id         text not null check (length(project_id) = 36),
  actor              text not null,
  occurred_at        text not null,
  agente             text not null check (length(agente) between 1 and 32),
  tipo               text not null check (tipo in ('laco', 'cancelamento_pelo_usuario', 'reparo_pelo_usuario')),
  evidence_event_ids text not null check (json_valid(evidence_event_ids)),
  topic              text not null,
  partition          integer not null,
  log_offset         integer not null,
  schema_id          integer not null,
  content_hash       text not null check (length(content_hash) = 64),
  trace_id           text,
  recorded_at        text not null
) strict;

create index session_events_by_time on session_events (occurred_at);

create table quarantine (
  consumer      text not null check (consumer in ('sink', 'graph')),
  topic         text not null,
  partition     integer not null,
  log_offset    integer not null,
  reason        text not null,
  schema_id     integer,
  size          integer not null,
  record_time   text not null,
  first_seen_at text not null,
  last_seen_at  text not null,
  attempts      integer not null,
  state         text not null check (state in ('open', 'resolved', 'discarded')),
  resolved_at   text,
  primary key (consumer, topic, partition, log_offset)
) strict;

create table stream_positions (
  consumer       text not null check (consumer in ('sink', 'graph')),
  topic          text not null,
  partition      integer not null,
  next_offset    integer,
  epoch          integer not null,
  witness_offset integer,
  witness        text,
  stored         integer not null default 0,
  duplicate      integer not null default 0,
  filtered       integer not null default 0,
  quarantined    integer not null default 0,
  -- The last ten minutes of records, so that a restart does not forget how many of them were wrong.
  window_from        text,
  window_consumed    integer not null default 0,
  window_quarantined integer not null default 0,
  updated_at     text not null,
  primary key (consumer, topic, partition)
) strict;

create table position_losses (
  consumer    text not null,
  topic       text not null,
  partition   integer not null,
  from_offset integer not null,
  to_offset   integer not null,
  why         text not null,
  adopted_at  text not null
) strict;

create table graph_nodes (
  kind        text not null check (kind in ('person', 'competency', 'fact')),
  id          text not null,
  event_id    text not null,
  occurred_at text not null,
  primary key (kind, id)
) strict, without rowid;

create table graph_edges (
  kind              text not null check (kind in ('proficient_in', 'accepted')),
  from_id           text not null,
  to_id             text not null,
  event_id          text not null,
  occurred_at       text not null,
  level             text,
  level_event_id    text,
  level_occurred_at text,
  primary key (kind, from_id, to_id)
) strict, without rowid;

create view v_agent_deviation as
select id, occurred_at, agente, tipo, session_id, project_id, json_array_length(evidence_event_ids) as evidence, trace_id
from session_events
where type = 'anamnese.agent_deviation';

create view v_agent_deviation_daily as
select substr(occurred_at, 1, 10) as day, agente, tipo, count(*) as deviations, count(distinct session_id) as sessions
from session_events
where type = 'anamnese.agent_deviation'
group by 1, 2, 3;

create view v_agent_deviation_evidence as
select e.id as event_id, e.session_id, e.agente, e.tipo, j.value as evidence_event_id
from session_events e, json_each(e.evidence_event_ids) j
where e.type = 'anamnese.agent_deviation';
