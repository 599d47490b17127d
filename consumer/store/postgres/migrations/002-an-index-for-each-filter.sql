-- One for each filter of the tools; what each costs a flush: docs/decisions/0010. Those over many rows carry the time,
-- so that the newest come first without a sort; a session has few rows. The id and the time have theirs since 001.
create index session_events_by_tipo on session_events (tipo, occurred_at);
create index session_events_by_agente on session_events (agente, occurred_at);
create index session_events_by_session on session_events (session_id);
create index session_events_by_project on session_events (project_id, occurred_at);
create index session_events_by_trace on session_events (trace_id) where trace_id is not null;
create index session_events_by_evidence on session_events using gin (evidence_event_ids);
