/**
 * The broker's settings as each tool's own flags. A secret is read from its file when the command runs, by a process
 * substitution or into the tool's environment: it is in no history and in no list of processes.
 */
import type { Config } from '../config.ts';
import { shellWord } from '../shell.ts';

interface Access {
  readonly brokers: readonly string[];
  readonly isTls: boolean;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly sasl: { readonly mechanism: string; readonly username: string; readonly passwordFile: string } | undefined;
}

/** Throws CONFIG_MISSING or CONFIG_INVALID. */
export const accessOf = (config: Config): Access => {
  const { brokers, sasl } = config.kafka();
  const [ca, cert, key] = (['KAFKA_SSL_CA_FILE', 'KAFKA_SSL_CERT_FILE', 'KAFKA_SSL_KEY_FILE'] as const).map(
    (name) => config.setting(name).value,
  );
  return {
    brokers,
    isTls: ca !== undefined || cert !== undefined || key !== undefined,
    ca,
    cert,
    key,
    sasl:
      sasl === undefined
        ? undefined
        : {
            mechanism: sasl.mechanism,
            username: sasl.username,
            passwordFile: config.setting('KAFKA_SASL_PASSWORD_FILE').value ?? '',
          },
  };
};

const protocolOf = ({ isTls, sasl }: Access): string => {
  const transport = isTls ? 'SSL' : 'PLAINTEXT';
  return sasl === undefined ? transport : `SASL_${transport}`;
};

const isPlain = ({ isTls, sasl }: Access): boolean => !isTls && sasl === undefined;

const given = (pairs: readonly (readonly [string, string | undefined])[]): readonly string[] =>
  pairs.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));

/** `-b …`, and librdkafka's properties. */
export const kcatAccess = (access: Access): string => {
  const properties = isPlain(access)
    ? []
    : given([
        ['security.protocol', protocolOf(access)],
        ['ssl.ca.location', access.ca],
        ['ssl.certificate.location', access.cert],
        ['ssl.key.location', access.key],
        ['sasl.mechanisms', access.sasl?.mechanism.toUpperCase()],
        ['sasl.username', access.sasl?.username],
      ]);
  const secret =
    access.sasl === undefined
      ? []
      : [`-F <(printf 'sasl.password=%s\\n' "$(cat ${shellWord(access.sasl.passwordFile)})")`];
  return [
    `-b ${shellWord(access.brokers.join(','))}`,
    ...properties.map((property) => `-X ${shellWord(property)}`),
    ...secret,
  ].join(' ');
};

const LOGIN_MODULES: Readonly<Record<string, string>> = {
  plain: 'org.apache.kafka.common.security.plain.PlainLoginModule',
};
const SCRAM_MODULE = 'org.apache.kafka.common.security.scram.ScramLoginModule';

/** For a quoted word of the login module in a properties file: two escapings, one in the other. */
const escapedJaas = (text: string): string => text.replaceAll(/[\\"]/g, '\\$&').replaceAll('\\', '\\\\');
const ESCAPE_JAAS = String.raw`sed 's/[\\"]/\\&/g; s/\\/\\\\/g'`;

/** A key or a certificate as one line of a properties file. */
const pemLine = (name: string, file: string): string =>
  `printf '%s=' ${name}; awk '{printf "%s\\\\n", $0}' ${shellWord(file)}; echo`;

/** `--bootstrap-server …`, and a file of the Java client's properties that is made on the way. */
export const consoleAccess = (access: Access): string => {
  const server = `--bootstrap-server ${shellWord(access.brokers.join(','))}`;
  if (isPlain(access)) return server;
  const { ca, cert, key, sasl } = access;
  const lines = given([
    ['security.protocol', protocolOf(access)],
    ['ssl.truststore.type', ca === undefined ? undefined : 'PEM'],
    ['ssl.truststore.location', ca],
    ['ssl.keystore.type', cert === undefined ? undefined : 'PEM'],
    ['sasl.mechanism', sasl?.mechanism.toUpperCase()],
  ]);
  const parts = [`printf '%s\\n' ${lines.map(shellWord).join(' ')}`];
  if (cert !== undefined) parts.push(pemLine('ssl.keystore.certificate.chain', cert));
  if (key !== undefined) parts.push(pemLine('ssl.keystore.key', key));
  if (sasl !== undefined) {
    const login = `sasl.jaas.config=${LOGIN_MODULES[sasl.mechanism] ?? SCRAM_MODULE} required username="${escapedJaas(sasl.username)}" password=`;
    const file = shellWord(sasl.passwordFile);
    parts.push(`printf '%s"%s";\\n' ${shellWord(login)} "$(${ESCAPE_JAAS} ${file})"`);
  }
  return `${server} --command-config <(${parts.join('; ')})`;
};

/** kafkactl's own variables, before its name. */
export const kafkactlAccess = ({ brokers, isTls, ca, cert, key, sasl }: Access): string =>
  [
    `BROKERS=${shellWord(brokers.join(' '))}`,
    ...(isTls ? ['TLS_ENABLED=true'] : []),
    ...(ca === undefined ? [] : [`TLS_CA=${shellWord(ca)}`]),
    ...(cert === undefined ? [] : [`TLS_CERT=${shellWord(cert)}`]),
    ...(key === undefined ? [] : [`TLS_CERTKEY=${shellWord(key)}`]),
    ...(sasl === undefined
      ? []
      : [
          'SASL_ENABLED=true',
          `SASL_MECHANISM=${sasl.mechanism === 'plain' ? 'plaintext' : sasl.mechanism.replace('sha-', 'sha')}`,
          `SASL_USERNAME=${shellWord(sasl.username)}`,
          `SASL_PASSWORD="$(cat ${shellWord(sasl.passwordFile)})"`,
        ]),
  ].join(' ');
