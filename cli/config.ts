/** The one reader of settings: a flag, else the environment, else the default. Each part is checked when it is asked for. */
import { readFileSync } from 'node:fs';
import type { DatabaseSettings } from '../consumer/index.ts';
import { isAgentId } from '../schemas/ids.ts';
import { StreamError } from '../wire/errors.ts';
import type { kafka, RegistrySettings } from '../wire/index.ts';
import { SASL_MECHANISMS } from '../wire/names.ts';
import type { Io } from './io.ts';
import {
  ALL_SETTINGS,
  LOG_LEVELS,
  type OtherSettingName,
  type SettingName,
  type SettingRow,
  SETTINGS,
} from './settings.ts';

export type ConfiguredLogLevel = (typeof LOG_LEVELS)[number];

/** Where a setting's value came from. */
export type Origin = 'flag' | 'environment' | 'default' | 'not set';

export interface Setting {
  /** As it was given, unchecked. */
  readonly value: string | undefined;
  readonly origin: Origin;
}

export interface Config {
  setting(name: SettingName | OtherSettingName): Setting;
  /** Whether the setting has a value, be it the default. */
  has(name: SettingName): boolean;
  /** Whether somebody gave it: a default is not given. */
  isGiven(name: SettingName): boolean;
  kafka(): kafka.KafkaSettings;
  registry(): RegistrySettings;
  database(): DatabaseSettings;
  topic(): string;
  outboxFile(): string;
  /** The catalogue, needed by the producer. */
  agents(): ReadonlySet<string>;
  /** The catalogue, or undefined when none is configured. */
  agentsIfAny(): ReadonlySet<string> | undefined;
  /** Undefined: no health page. */
  healthPort(): number | undefined;
  logLevel(): ConfiguredLogLevel;
}

/** `--ssl-ca-file <file>` as commander names its value: `sslCaFile`. */
const optionKey = (flag: string): string =>
  (flag.split(' ')[0] ?? '').replace(/^--/, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const readConfig = (flags: Readonly<Record<string, unknown>>, env: Io['env']): Config => {
  const settingOf: Config['setting'] = (name) => {
    const row: SettingRow = ALL_SETTINGS[name];
    const flagged = row.flag === undefined ? undefined : flags[optionKey(row.flag)];
    if (typeof flagged === 'string') return { value: flagged, origin: 'flag' };
    const set = env[name];
    if (set !== undefined && set !== '') return { value: set, origin: 'environment' };
    return { value: row.default, origin: row.default === undefined ? 'not set' : 'default' };
  };

  const setting = (name: SettingName): string | undefined => settingOf(name).value;

  const invalid = (name: SettingName, next: string): StreamError => new StreamError('CONFIG_INVALID', name, next);

  const needed = (name: SettingName): string => {
    const value = setting(name);
    if (value !== undefined) return value;
    const flag = SETTINGS[name].flag.split(' ')[0];
    throw new StreamError('CONFIG_MISSING', name, `Set ${name} or give ${flag}`);
  };

  const fileText = (name: SettingName, file: string): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      throw invalid(name, `The file ${file} cannot be read: check its name and its rights`);
    }
  };

  const secretIn = (name: SettingName): string => fileText(name, needed(name)).replace(/\r?\n$/, '');

  const optional = <K extends string>(key: K, name: SettingName): { readonly [P in K]?: string } => {
    const value = setting(name);
    return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: string }; // one key, or none
  };

  const ssl = () => {
    const files = {
      ...optional('caFile', 'KAFKA_SSL_CA_FILE'),
      ...optional('certFile', 'KAFKA_SSL_CERT_FILE'),
      ...optional('keyFile', 'KAFKA_SSL_KEY_FILE'),
    };
    return Object.keys(files).length === 0 ? {} : { ssl: files };
  };

  const sasl = () => {
    const word = setting('KAFKA_SASL_MECHANISM');
    if (word === undefined) return {};
    const mechanism = SASL_MECHANISMS.find((one) => one === word.toLowerCase());
    if (mechanism === undefined) throw invalid('KAFKA_SASL_MECHANISM', `Give one of ${SASL_MECHANISMS.join(', ')}`);
    return {
      sasl: { mechanism, username: needed('KAFKA_SASL_USERNAME'), password: secretIn('KAFKA_SASL_PASSWORD_FILE') },
    };
  };

  const url = (name: SettingName): string => {
    const value = needed(name);
    if (!URL.canParse(value) || !/^https?:/.test(value))
      throw invalid(name, 'Give an address such as http://localhost:8081');
    const { username, password } = new URL(value);
    // Addresses stand in errors and logs.
    if (username !== '' || password !== '') {
      throw invalid(name, 'Take user and password out of the address: they have settings of their own');
    }
    return value;
  };

  const agents = (): ReadonlySet<string> | undefined => {
    const file = setting('AGENTS_FILE');
    if (file === undefined) return undefined;
    const slugs = fileText('AGENTS_FILE', file)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'));
    const bad = slugs.findIndex((slug) => !isAgentId(slug));
    if (slugs.length === 0 || bad >= 0) {
      throw invalid(
        'AGENTS_FILE',
        `Write one slug a line into ${file}: lower-case letters, digits, single hyphens, at most 32 characters` +
          (bad >= 0 ? ` (entry ${bad + 1} is none)` : ''),
      );
    }
    return new Set(slugs);
  };

  return {
    setting: settingOf,
    has: (name) => setting(name) !== undefined,
    isGiven: (name) => ['flag', 'environment'].includes(settingOf(name).origin),
    kafka: () => {
      const brokers = needed('KAFKA_BROKERS')
        .split(',')
        .map((broker) => broker.trim())
        .filter((broker) => broker !== '');
      if (brokers.length === 0 || !brokers.every((broker) => /^[^\s:/]+:\d{1,5}$|^\[[^\]]+\]:\d{1,5}$/.test(broker))) {
        throw invalid('KAFKA_BROKERS', 'Give host:port, several separated by commas');
      }
      return { brokers, ...ssl(), ...sasl() };
    },
    registry: () => {
      const username = setting('SCHEMA_REGISTRY_USERNAME');
      return {
        url: url('SCHEMA_REGISTRY_URL'),
        ...optional('caFile', 'SCHEMA_REGISTRY_CA_FILE'),
        ...(username === undefined ? {} : { username, password: secretIn('SCHEMA_REGISTRY_PASSWORD_FILE') }),
      };
    },
    database: () => ({
      url: needed('DATABASE_URL'),
      ...optional('caFile', 'DATABASE_CA_FILE'),
      ...(setting('DATABASE_PASSWORD_FILE') === undefined ? {} : { password: secretIn('DATABASE_PASSWORD_FILE') }),
    }),
    topic: () => {
      const topic = needed('SESSION_EVENTS_TOPIC');
      if (!/^[A-Za-z0-9._-]{1,249}$/.test(topic)) {
        throw invalid('SESSION_EVENTS_TOPIC', 'Use letters, digits, dot, hyphen and underscore, at most 249');
      }
      return topic;
    },
    outboxFile: () => needed('OUTBOX_FILE'),
    agents: () => {
      const slugs = agents();
      if (slugs !== undefined) return slugs;
      throw new StreamError('CONFIG_MISSING', 'AGENTS_FILE', 'Set AGENTS_FILE or give --agents: one slug a line');
    },
    agentsIfAny: agents,
    healthPort: () => {
      const port = setting('HEALTH_PORT');
      if (port === undefined) return undefined;
      if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw invalid('HEALTH_PORT', 'Give a port, 0 to 65535');
      return Number(port);
    },
    logLevel: () => {
      const word = needed('LOG_LEVEL').toLowerCase();
      const level = LOG_LEVELS.find((one) => one === word);
      if (level === undefined) throw invalid('LOG_LEVEL', `Give one of ${LOG_LEVELS.join(', ')}`);
      return level;
    },
  };
};
