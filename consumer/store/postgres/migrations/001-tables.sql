-- The tables are an interface: maintainers read them with SQL. Times are instants, whatever the zone of whoever asks.

-- Ids are random (UUID v5): rows are appended to the heap, only the index of the key is hit at random, and it is the one
-- index that uniqueness needs anyway.
create table session_events (
  id                 uuid primary key,
  type               text not null,
  session_id         uuid not null,
  project_id         uuid not null,
  actor              text not null,
  occurred_at        timestamptz not null,
  agente             text not null check (length(agente) between 1 and 32),
  tipo               text not null check (tipo in ('laco', 'cancelamento_pelo_usuario', 'reparo_pelo_usuario')),
  evidence_event_ids uuid[] not null,
  topic              text not null,
  partition          integer not null,
  log_offset         bigint not null,
  schema_id          integer not null,
  content_hash       text not null check (length(content_hash) = 64),
  trace_id           text,
  recorded_at        timestamptz not null
);

create index session_events_by_time on session_events (occurred_at);

create table quarantine (
  consumer      text not null check (consumer in ('sink', 'graph')),
  topic         text not null,
  partition     integer not null,
  log_offset    bigint not null,
  reason        text not null,
  schema_id     integer,
  size          integer not null,
  record_time   timestamptz not null,
  first_seen_at timestamptz not null,
  last_seen_at  timestamptz not null,
  attempts      integer not null,
  state         text not null check (state in ('open', 'resolved', 'discarded')),
  resolved_at   timestamptz,
  primary key (consumer, topic, partition, log_offset)
);

create table stream_positions (
  consumer       text not null check (consumer in ('sink', 'graph')),
  topic          text not null,
  partition      integer not null,
  next_offset    bigint,
  epoch          bigint not null,
  witness_offset bigint,
  witness        text,
  stored         bigint not null default 0,
  duplicate      bigint not null default 0,
  filtered       bigint not null default 0,
  quarantined    bigint not null default 0,
  -- The last ten minutes of records, so that a restart does not forget how many of them were wrong.
  window_from        timestamptz,
  window_consumed    bigint not null default 0,
  window_quarantined bigint not null default 0,
  updated_at     timestamptz not null,
  primary key (consumer, topic, partition)
);

create table position_losses (
  consumer    text not null,
  topic       text not null,
  partition   integer not null,
  from_offset bigint not null,
  to_offset   bigint not null,
  why         text not null,
  adopted_at  timestamptz not null
);

create table graph_nodes (
  kind        text not null check (kind in ('person', 'competency', 'fact')),
  id          uuid not null,
  event_id    uuid not null,
  occurred_at timestamptz not null,
  primary key (kind, id)
);

create table graph_edges (
  kind              text not null check (kind in ('proficient_in', 'accepted')),
  from_id           uuid not null,
  to_id             uuid not null,
  event_id          uuid not null,
  occurred_at       timestamptz not null,
  level             text,
  level_event_id    uuid,
  level_occurred_at timestamptz,
  primary key (kind, from_id, to_id)
);

create view v_agent_deviation as
select id, occurred_at, agente, tipo, session_id, project_id, cardinality(evidence_event_ids) as evidence, trace_id
from session_events
where type = 'anamnese.agent_deviation';

create view v_agent_deviation_daily as
select (occurred_at at time zone 'UTC')::date as day, agente, tipo, count(*) as deviations,
  count(distinct session_id) as sessions
from session_events
where type = 'anamnese.agent_deviation'
group by 1, 2, 3;

create view v_agent_deviation_evidence as
select e.id as event_id, e.session_id, e.agente, e.tipo, u.id as evidence_event_id
from session_events e cross join unnest(e.evidence_event_ids) as u (id)
where e.type = 'anamnese.agent_deviation';
