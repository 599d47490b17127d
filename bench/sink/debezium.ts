/**
 * The peer: Debezium's JDBC sink in a standalone Kafka Connect, reading the same Avro records into a table of the same
 * columns. It writes no position, offset or hash, and keeps its position outside the rows' transaction. Needs Java and
 * Maven; what Maven brings stays in bench/.cache.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { cpuSecondsOf } from '../process-figures.ts';
import type { BenchOptions } from '../reports.ts';
import type { BenchDatabase } from './databases.ts';
import { type FilledTopic, newName } from './topic.ts';

const CACHE = join(import.meta.dirname, '../.cache');
const LIBRARIES = join(CACHE, 'connect');
/** A folder of folders, one a plugin. */
const PLUGIN_PATH = join(CACHE, 'plugins');
const PLUGINS = ['debezium', 'converter'] as const;
const POMS = join(import.meta.dirname, 'peer');
const COPY_DEPENDENCIES = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies';
/** Connect has these itself; a second copy in a plugin's folder ends its task. */
const CONNECTS_OWN = /^(jackson-|connect-api|connect-json|kafka-clients|slf4j-)/;
const REST_PORT = 28_093;
const LOOK_EVERY_MS = 250;
/** A task that failed leaves Connect running and says so in its log alone. */
const STILL_MS = 120_000;

export interface PeerRun {
  readonly perSecond: number;
  /** Of Connect and of the backends. */
  readonly cpuPerMillion: number;
  readonly firstRowMs: number;
}

const fetched = async (folder: string, say: (line: string) => void): Promise<void> => {
  const name = basename(folder);
  if (existsSync(folder)) return;
  say(`fetching ${name} with Maven, once; it stays in bench/.cache`);
  mkdirSync(dirname(folder), { recursive: true });
  const coming = mkdtempSync(join(CACHE, 'coming-'));
  const pom = join(POMS, `${name}.pom.xml`);
  await promisify(execFile)('mvn', [
    '-q',
    '-B',
    `--file=${pom}`,
    COPY_DEPENDENCIES,
    '-DincludeScope=runtime',
    `-DoutputDirectory=${coming}`,
  ]);
  if (name !== 'connect') {
    for (const jar of readdirSync(coming).filter((file) => CONNECTS_OWN.test(file))) rmSync(join(coming, jar));
  }
  renameSync(coming, folder);
};

/** Its lists are of text: it does not cast them. */
const TABLE = `
  create table peer_events (
    "eventId" uuid primary key, "sessionId" uuid not null, "projectId" uuid not null, "occurredAt" timestamptz not null,
    actor text not null, agente text not null, tipo text not null, "evidenceEventIds" text[] not null
  )`;
/** Those of ours, so that both write the same. */
const INDEXES = `
  create index on peer_events ("occurredAt"); create index on peer_events (tipo, "occurredAt");
  create index on peer_events (agente, "occurredAt"); create index on peer_events ("sessionId");
  create index on peer_events ("projectId", "occurredAt"); create index on peer_events using gin ("evidenceEventIds")`;

const properties = (settings: Readonly<Record<string, string | number>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

export const runDebezium = async (
  { env, say }: BenchOptions,
  { topic, events, forget }: FilledTopic,
  database: BenchDatabase,
  batch: number,
  withIndexes: boolean,
): Promise<PeerRun> => {
  for (const folder of [LIBRARIES, ...PLUGINS.map((name) => join(PLUGIN_PATH, name))]) await fetched(folder, say);
  const { hostname, port, pathname, username, password } = new URL(database.url);
  const client = new pg.Client(database.url);
  // The database goes while this still listens when the peer failed.
  client.on('error', () => {});
  await client.connect();
  await client.query(TABLE);
  if (withIndexes) await client.query(INDEXES);

  // Its group is called after it, and a group goes on where it was.
  const name = newName();
  const folder = mkdtempSync(join(tmpdir(), 'bench-peer-'));
  writeFileSync(
    join(folder, 'worker.properties'),
    properties({
      'bootstrap.servers': env.KAFKA_BROKERS,
      'key.converter': 'org.apache.kafka.connect.converters.ByteArrayConverter',
      'value.converter': 'io.apicurio.registry.utils.converter.AvroConverter',
      'value.converter.apicurio.registry.url': env.SCHEMA_REGISTRY_URL.replace(/\/apis\/.*$/, '/apis/registry/v2'),
      'value.converter.apicurio.registry.as-confluent': 'true',
      'value.converter.apicurio.registry.use-id': 'contentId',
      'value.converter.apicurio.registry.auto-register': 'false',
      'offset.storage.file.filename': join(folder, 'offsets'),
      'offset.flush.interval.ms': 5_000,
      'plugin.path': PLUGIN_PATH,
      listeners: `http://localhost:${REST_PORT}`,
      'connector.client.config.override.policy': 'All',
    }),
  );
  writeFileSync(
    join(folder, 'sink.properties'),
    properties({
      name,
      'connector.class': 'io.debezium.connector.jdbc.JdbcSinkConnector',
      'tasks.max': 1,
      topics: topic,
      'connection.url': `jdbc:postgresql://${hostname}:${port}${pathname}?stringtype=unspecified&reWriteBatchedInserts=true`,
      'connection.username': username,
      'connection.password': password,
      'insert.mode': 'upsert',
      'primary.key.mode': 'record_value',
      'primary.key.fields': 'eventId',
      'quote.identifiers': 'true',
      'collection.name.format': 'peer_events',
      'schema.evolution': 'none',
      'batch.size': batch,
      'consumer.override.max.poll.records': batch,
      'consumer.override.auto.offset.reset': 'earliest',
    }),
  );

  const startedMs = performance.now();
  const log = openSync(join(folder, 'log'), 'w');
  const connect = spawn(
    'java',
    [
      '-Xms512m',
      '-Xmx1g',
      '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
      '-cp',
      join(LIBRARIES, '*'),
      'org.apache.kafka.connect.cli.ConnectStandalone',
      'worker.properties',
      'sink.properties',
    ],
    { cwd: folder, stdio: ['ignore', log, log] },
  );
  const ended = once(connect, 'exit');
  const look = async () => {
    const { rows } = await client.query('select count(*) as n from peer_events');
    return {
      ms: performance.now(),
      rows: Number(rows[0]?.n),
      cpu: cpuSecondsOf(connect.pid ?? 0) + database.serverCpu().backendsSeconds,
    };
  };
  const until = async (wanted: number) => {
    let before = await look();
    for (;;) {
      const seen = await look();
      if (seen.rows >= wanted) return seen;
      if (seen.rows > before.rows) before = seen;
      if (connect.exitCode !== null || seen.ms - before.ms > STILL_MS) {
        throw new Error(`the peer stored ${seen.rows} rows and no more; its log is ${join(folder, 'log')}`);
      }
      await sleep(LOOK_EVERY_MS);
    }
  };

  try {
    const first = await until(1);
    const last = await until(events);
    const rows = last.rows - first.rows;
    rmSync(folder, { recursive: true, force: true });
    return {
      perSecond: (rows / (last.ms - first.ms)) * 1_000,
      cpuPerMillion: ((last.cpu - first.cpu) / rows) * 1e6,
      firstRowMs: first.ms - startedMs,
    };
  } finally {
    connect.kill('SIGTERM');
    await ended;
    await client.end();
    await forget(`connect-${name}`);
  }
};
