import { SASL_MECHANISMS } from '../wire/names.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export interface SettingRow {
  /** Undefined: the environment alone. */
  readonly flag?: string;
  readonly help: string;
  readonly default?: string;
  /** Of a closed list, for help and completion; checked with the rest of the configuration. */
  readonly words?: readonly string[];
}

/** Every setting by its name in the environment, and the flag that overrides it. One row each; no other file lists them. */
export const SETTINGS = {
  KAFKA_BROKERS: { flag: '--brokers <list>', help: 'brokers, host:port separated by commas' },
  KAFKA_SSL_CA_FILE: { flag: '--ssl-ca-file <file>', help: 'authority to trust for the broker (turns TLS on)' },
  KAFKA_SSL_CERT_FILE: { flag: '--ssl-cert-file <file>', help: 'client certificate for the broker' },
  KAFKA_SSL_KEY_FILE: { flag: '--ssl-key-file <file>', help: 'key of the client certificate' },
  KAFKA_SASL_MECHANISM: {
    flag: '--sasl-mechanism <word>',
    help: 'how to log in at the broker',
    words: SASL_MECHANISMS,
  },
  KAFKA_SASL_USERNAME: { flag: '--sasl-username <name>', help: 'user at the broker' },
  KAFKA_SASL_PASSWORD_FILE: { flag: '--sasl-password-file <file>', help: 'file with the password at the broker' },
  SCHEMA_REGISTRY_URL: { flag: '--registry <url>', help: 'schema registry, Confluent-compatible interface' },
  SCHEMA_REGISTRY_USERNAME: { flag: '--registry-username <name>', help: 'user at the registry' },
  SCHEMA_REGISTRY_PASSWORD_FILE: { flag: '--registry-password-file <file>', help: 'file with the password there' },
  SCHEMA_REGISTRY_CA_FILE: { flag: '--registry-ca-file <file>', help: 'authority to trust for the registry' },
  DATABASE_URL: {
    flag: '--database <url>',
    help: 'sqlite:FILE or postgres://user@host:port/database',
    default: 'sqlite:data/session-events.db',
  },
  DATABASE_PASSWORD_FILE: { flag: '--database-password-file <file>', help: 'file with the password at PostgreSQL' },
  DATABASE_CA_FILE: { flag: '--database-ca-file <file>', help: 'authority to trust for PostgreSQL (turns TLS on)' },
  SESSION_EVENTS_TOPIC: { flag: '--topic <name>', help: 'the topic', default: 'session-events' },
  OUTBOX_FILE: { flag: '--outbox <file>', help: "the producer's durable outbox", default: 'data/outbox.db' },
  AGENTS_FILE: { flag: '--agents <file>', help: 'catalogue of agents, one slug a line' },
  HEALTH_PORT: { flag: '--health-port <port>', help: 'serve /healthz and /metrics there' },
  LOG_LEVEL: { flag: '--log-level <word>', help: 'how much is logged', default: 'info', words: LOG_LEVELS },
} as const satisfies Record<string, SettingRow & { flag: string }>;

export type SettingName = keyof typeof SETTINGS;

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]; // its own keys, by the type above

/** Settings that are no flag: of the stack that the demo and the tests open. */
export const OTHER_SETTINGS = {
  SESSION_STACK: { help: 'which stack the demo and the tests use: given, docker or local' },
} as const satisfies Record<string, SettingRow>;
export type OtherSettingName = keyof typeof OTHER_SETTINGS;

export const ALL_SETTINGS: Readonly<Record<SettingName | OtherSettingName, SettingRow>> = {
  ...SETTINGS,
  ...OTHER_SETTINGS,
};

export const KAFKA_SETTINGS = [
  'KAFKA_BROKERS',
  'KAFKA_SSL_CA_FILE',
  'KAFKA_SSL_CERT_FILE',
  'KAFKA_SSL_KEY_FILE',
  'KAFKA_SASL_MECHANISM',
  'KAFKA_SASL_USERNAME',
  'KAFKA_SASL_PASSWORD_FILE',
] as const satisfies readonly SettingName[];

export const DATABASE_SETTINGS = [
  'DATABASE_URL',
  'DATABASE_PASSWORD_FILE',
  'DATABASE_CA_FILE',
] as const satisfies readonly SettingName[];

export const REGISTRY_SETTINGS = [
  'SCHEMA_REGISTRY_URL',
  'SCHEMA_REGISTRY_USERNAME',
  'SCHEMA_REGISTRY_PASSWORD_FILE',
  'SCHEMA_REGISTRY_CA_FILE',
] as const satisfies readonly SettingName[];

export const PRODUCER_SETTINGS = [
  ...KAFKA_SETTINGS,
  ...REGISTRY_SETTINGS,
  'SESSION_EVENTS_TOPIC',
  'OUTBOX_FILE',
  'AGENTS_FILE',
  'LOG_LEVEL',
] as const satisfies readonly SettingName[];
