/** The one place that makes kafkajs clients. kafkajs is unmaintained: nothing outside `wire/kafka/` knows it. */
import { readFileSync } from 'node:fs';
import type { Kafka, KafkaConfig, LogEntry, SASLOptions } from 'kafkajs';
import { codeOf, isStreamError, StreamError } from '../errors.ts';
import type { Log } from '../log.ts';
import { CLIENT_IDS, type ClientRole, type SaslMechanism } from '../names.ts';
import { theKafkajs } from './kafkajs.ts';

export interface KafkaSettings {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  readonly ssl?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  readonly sasl?: { readonly mechanism: SaslMechanism; readonly username: string; readonly password: string };
}

/** Limits of one request, in milliseconds. A slow broker is retried by who asked, with a hold around it. */
const LIMITS = { connectionMs: 5_000, requestMs: 10_000, authenticationMs: 10_000 } as const;

/** kafkajs writes its lines to stdout unless told where else; its words may hold whatever a broker said, so they stay out. */
const logCreatorFor =
  (log: Log) =>
  () =>
  ({ namespace, level, log: entry }: LogEntry): void => {
    const code = codeOf(entry.error === undefined ? undefined : { code: entry.error });
    const fields = { where: `kafkajs ${namespace}`, code };
    if (level <= theKafkajs().logLevel.ERROR) log.debug('the Kafka client reported an error', fields);
    else log.debug('the Kafka client reported', fields);
  };

const pem = (file: string | undefined): { readonly content: Buffer } | undefined =>
  file === undefined ? undefined : { content: readFileSync(file) };

const sslOf = (ssl: NonNullable<KafkaSettings['ssl']>): NonNullable<KafkaConfig['ssl']> => {
  const [ca, cert, key] = [pem(ssl.caFile), pem(ssl.certFile), pem(ssl.keyFile)];
  return {
    ...(ca ? { ca: [ca.content] } : {}),
    ...(cert ? { cert: cert.content } : {}),
    ...(key ? { key: key.content } : {}),
  };
};

export const createKafka = (settings: KafkaSettings, role: ClientRole, log: Log): Kafka =>
  new (theKafkajs().Kafka)({
    clientId: CLIENT_IDS[role],
    brokers: [...settings.brokers],
    logCreator: logCreatorFor(log),
    logLevel: theKafkajs().logLevel.WARN,
    connectionTimeout: LIMITS.connectionMs,
    requestTimeout: LIMITS.requestMs,
    enforceRequestTimeout: true,
    authenticationTimeout: LIMITS.authenticationMs,
    ...(settings.ssl ? { ssl: sslOf(settings.ssl) } : {}),
    ...(settings.sasl ? { sasl: settings.sasl as SASLOptions } : {}), // the mechanism's word decides the union
    retry: { retries: 2, initialRetryTime: 200, maxRetryTime: 2_000 },
  });

const AUTH_CODES = new Set([
  'SASL_AUTHENTICATION_FAILED',
  'KafkaJSSASLAuthenticationError',
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
]);

/** The innermost code: kafkajs wraps the broker's word in an error about retries. */
const brokerCode = (error: unknown): string => {
  const cause: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'cause') : undefined;
  return cause === undefined || cause === null ? codeOf(error) : brokerCode(cause);
};

/** A failure of the client in our words, without its message and cause. */
export const brokerError = (error: unknown, doing: string, settings: KafkaSettings): StreamError => {
  if (isStreamError(error)) return error;
  const code = brokerCode(error);
  if (code === 'UNKNOWN_TOPIC_OR_PARTITION') {
    return new StreamError('TOPIC_MISSING', doing, 'Create it: deviations topic create');
  }
  const at = `${doing} at ${settings.brokers.join(',')} (${code})`;
  return AUTH_CODES.has(code)
    ? new StreamError(
        'BROKER_REFUSED',
        at,
        'Check KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD_FILE and the rights of the user',
        code,
      )
    : new StreamError('BROKER_UNREACHABLE', at, 'Check KAFKA_BROKERS and that the broker is up', code);
};
