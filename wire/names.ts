/** Every name that leaves the program, once. None holds a host or a user name (design 3.3). */
export const DEFAULT_TOPIC = 'session-events';

export const CONSUMERS = ['sink', 'graph'] as const;
export type Consumer = (typeof CONSUMERS)[number];
/** Who reads the topic in a consumer group: a consumer, or a tool that is alone in its own. */
export type GroupMember = Consumer | 'tools';

/** Each consumer's group, unless `--group` says otherwise. */
export const DEFAULT_GROUPS = { sink: 'session-events-sink', graph: 'session-events-graph' } as const satisfies Record<
  Consumer,
  string
>;

/** The broker refuses a member whose assigner no other member knows: so neither consumer can slip into the other's group. */
export const ASSIGNERS = {
  sink: 'session-events-sink-round-robin',
  graph: 'session-events-graph-round-robin',
  tools: 'deviations-tools-round-robin',
} as const satisfies Record<GroupMember, string>;

/** A tool that reads the topic is alone in a group of its own: this and random digits. Removed when it ends. */
export const TOOLS_GROUP_PREFIX = 'deviations-tools-';

export const CLIENT_IDS = {
  producer: 'anamnese-deviation-producer',
  sink: 'session-events-sink',
  graph: 'session-events-graph',
  tools: 'deviations-tools',
} as const;
export type ClientRole = keyof typeof CLIENT_IDS;

/** How a client may prove who it is to the broker. */
export const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
export type SaslMechanism = (typeof SASL_MECHANISMS)[number];

export const TOOL_NAME = 'report_agent_deviation';
export const EVENT_SOURCE = '/anamnese';
export const CONTENT_TYPE = 'application/avro';
