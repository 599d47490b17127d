/** A pipeline that is well, told from memory; a test breaks one part of it. */
import { readConfig } from '../../cli/config.ts';
import type { Site } from '../../cli/checkup/site.ts';
import type { PositionRow, RecordedLoss, StoredDeviation, StoreInspector, StoreReader } from '../../consumer/index.ts';
import { EVENT_TYPES, loadSchemaText } from '../../schemas/index.ts';
import { type Consumer, kafka, type Registry, schemaId, StreamError } from '../../wire/index.ts';
import { ASSIGNERS, DEFAULT_GROUPS } from '../../wire/names.ts';
import { uuidNo } from './builders.ts';

const unasked = (): never => {
  throw new Error('no check asks this');
};

export const aTopic = (settings: Readonly<Record<string, string>> = {}, replication = 3): kafka.TopicShape => ({
  partitions: 2,
  replication,
  settings: new Map(
    Object.entries({
      'message.timestamp.type': 'LogAppendTime',
      'min.insync.replicas': '2',
      'unclean.leader.election.enable': 'false',
      'cleanup.policy': 'delete',
      'retention.ms': '604800000',
      ...settings,
    }),
  ),
});

export const aGroup = (consumer: Consumer, more: Partial<kafka.GroupShape> = {}): kafka.GroupShape => ({
  state: 'Stable',
  members: 1,
  assigner: ASSIGNERS[consumer],
  ...more,
});

export const aPosition = (consumer: Consumer, partition: number, next: number): PositionRow => ({
  consumer,
  topic: 'session-events',
  partition,
  position: kafka.offset(next),
  epoch: 1,
  counts: { stored: next, duplicate: 0, filtered: 0, quarantined: 0 },
});

export const offsets = (...next: readonly number[]): ReadonlyMap<number, kafka.Offset> =>
  new Map(next.map((at, partition) => [partition, kafka.offset(at)]));

export const ends = (...pairs: readonly (readonly [number, number])[]): readonly kafka.PartitionEnds[] =>
  pairs.map(([start, end], partition) => ({ partition, start: kafka.offset(start), end: kafka.offset(end) }));

const LAST: StoredDeviation = {
  eventId: uuidNo(1),
  sessionId: uuidNo(2),
  projectId: uuidNo(3),
  occurredAt: '2026-11-30T12:00:00.000Z',
  actor: 'agent/anamnese',
  agente: 'desenvolvedor',
  tipo: 'laco',
  evidenceEventIds: [],
  topic: 'session-events',
  partition: 0,
  offset: '9',
  schemaId: 1,
  contentHash: '0'.repeat(64),
  traceId: null,
  recordedAt: '2026-11-30T12:00:01.000Z',
};

export const aReader = (more: Partial<StoreReader> = {}): StoreReader =>
  ({
    deviations: () => Promise.resolve([LAST]),
    openQuarantine: () => Promise.resolve([]),
    losses: () => Promise.resolve([] as readonly RecordedLoss[]),
    close: () => Promise.resolve(),
    ...more,
  }) as StoreReader; // what else it has no check asks

export const anInspector = (more: Partial<StoreInspector> = {}): StoreInspector => ({
  place: 'data/session-events.db',
  versions: () => Promise.resolve({ has: 1, wants: 1 }),
  requireKeys: () => Promise.resolve(),
  isWritable: () => Promise.resolve(true),
  clockAheadMs: () => Promise.resolve(undefined),
  close: () => Promise.resolve(),
  ...more,
});

export const aRegistry = (more: Partial<Registry> = {}): Registry => ({
  schemaById: unasked,
  idOfText: (subject) => Promise.resolve(schemaId(EVENT_TYPES.findIndex((type) => type === subject) + 1)),
  hasSubject: () => Promise.resolve(true),
  versions: (subject) => {
    const type = EVENT_TYPES.find((one) => one === subject);
    return Promise.resolve(type === undefined ? [] : [{ version: 1, text: loadSchemaText(type) }]);
  },
  isCompatible: () => Promise.resolve(true),
  register: unasked,
  level: () => Promise.resolve('FULL_TRANSITIVE'),
  setLevel: unasked,
  ...more,
});

export const aCluster = (more: Partial<kafka.Cluster> = {}): kafka.Cluster =>
  ({
    offsetsAt: () => Promise.resolve(offsets()),
    oldestArrival: (_topic, _records, nowMs) => Promise.resolve(nowMs - 95_000),
    close: () => Promise.resolve(),
    ...more,
  }) as kafka.Cluster; // what else it has no check asks

export const ENV = {
  KAFKA_BROKERS: 'kafka:9092',
  SCHEMA_REGISTRY_URL: 'http://registry:8081',
};

export const aSite = (more: Partial<Site> = {}, env: Readonly<Record<string, string>> = ENV): Site => ({
  // Whoever tries the program in this clone may have an outbox at the default place.
  config: { ...readConfig({}, env), outboxFile: () => env['OUTBOX_FILE'] ?? '/nowhere/outbox.db' },
  groups: DEFAULT_GROUPS,
  cluster: () => Promise.resolve(aCluster()),
  topic: () => Promise.resolve(aTopic()),
  ends: () => Promise.resolve(ends([0, 10], [0, 20])),
  group: (consumer) => Promise.resolve(aGroup(consumer)),
  committed: () => Promise.resolve(offsets(10, 20)),
  registry: () => Promise.resolve(aRegistry()),
  reader: () => Promise.resolve(aReader()),
  inspector: () => Promise.resolve(anInspector()),
  positions: () =>
    Promise.resolve((['sink', 'graph'] as const).flatMap((one) => [aPosition(one, 0, 10), aPosition(one, 1, 20)])),
  aheadOfDatabaseMs: () => Promise.resolve(undefined),
  inTime: (_asked, work) => work,
  close: () => Promise.resolve(),
  ...more,
});

export const rejects = (code: ConstructorParameters<typeof StreamError>[0]) => (): Promise<never> =>
  Promise.reject(new StreamError(code, 'somewhere', 'Do something'));
