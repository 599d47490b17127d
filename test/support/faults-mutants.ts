/** The producer put together from its own parts, in this thread, with one part done wrong on purpose. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { createProducer, type DeviationProducer, reportPolicy } from '../../producer/index.ts';
import { DEFAULT_LIMITS } from '../../producer/outbox/limits.ts';
import { createOutboxService } from '../../producer/outbox/outbox-service.ts';
import type { WaitingRows } from '../../producer/outbox/waiting-rows.ts';
import type { Recorder } from '../../producer/recorder.ts';
import { startRelay } from '../../producer/relay/relay.ts';
import { storable, type Submission } from '../../producer/submission.ts';
import { AGENT_DEVIATION, loadSchemaText, sha256Of } from '../../schemas/index.ts';
import { createRegistry, frame, kafka, registeredId, silentLog } from '../../wire/index.ts';
import type { Ground, Opening, OpenProducer } from './faults-ground.ts';
import { AGENTS_OF_LOAD } from './faults-load.ts';
import { told } from './faults-outbox.ts';

export const MUTANTS = [
  /** Nothing is wrong: what the others are compared with. */
  'none',
  'sends before it appends',
  'deletes before the acknowledgement',
  'drops on an error',
  'has no lease',
  'remembers no id',
  'sends in the order of the clock',
  'forgets what was acknowledged',
  'frames every row alike',
] as const;
export type Mutant = (typeof MUTANTS)[number];

/** How the mutant does what the relay does with the rows. */
const rowsOf = (mutant: Mutant, rows: WaitingRows, file: string): WaitingRows => {
  switch (mutant) {
    case 'deletes before the acknowledgement':
      return {
        ...rows,
        oldest: (count, afterSeq) => {
          const batch = rows.oldest(count, afterSeq);
          rows.drop(batch.map(({ seq }) => seq));
          return batch;
        },
        drop: () => {},
      };
    case 'forgets what was acknowledged':
      return {
        ...rows,
        drop: (seqs) => {
          try {
            rows.drop(seqs);
          } catch {
            // And so they are the oldest once more.
          }
        },
      };
    case 'sends in the order of the clock': {
      const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
      const byClock = database.prepare('select seq from waiting order by appended_at, seq');
      return {
        ...rows,
        oldest: (count) => {
          const order = byClock.all().map(({ seq }) => Number(seq));
          return rows
            .oldest(100_000, 0)
            .toSorted((a, b) => order.indexOf(a.seq) - order.indexOf(b.seq))
            .slice(0, count);
        },
      };
    }
    default:
      return rows;
  }
};

const senderOf = (mutant: Mutant, sender: kafka.Sender): kafka.Sender =>
  mutant === 'drops on an error' ? { ...sender, send: (records) => sender.send(records).catch(() => {}) } : sender;

export interface MutantSettings {
  readonly outboxFile: string;
  readonly broker: string;
  readonly registryUrl: string;
  readonly topic: string;
  readonly limits?: Opening['limits'];
}

export const composeProducer = (mutant: Mutant, settings: MutantSettings): DeviationProducer => {
  const kafkaSettings = { brokers: [settings.broker] };
  const registry = createRegistry({ url: settings.registryUrl });
  const newSender = (): kafka.Sender => senderOf(mutant, kafka.createSender(kafkaSettings, settings.topic, silentLog));
  const ourHash = sha256Of(loadSchemaText(AGENT_DEVIATION));
  const schemaIdOf = async (hash: string) =>
    hash === ourHash || mutant === 'frames every row alike' ? registeredId(registry, AGENT_DEVIATION) : undefined;

  const service = createOutboxService({
    file: settings.outboxFile,
    limits: { ...DEFAULT_LIMITS, ...settings.limits },
    nowMs: Date.now,
    log: silentLog,
    onProblem: () => {},
    startRelay: (rows, tryLease) =>
      startRelay({
        rows: rowsOf(mutant, rows, settings.outboxFile),
        tryLease: mutant === 'has no lease' ? () => ({ release: () => {} }) : tryLease,
        createSender: newSender,
        schemaIdOf,
        checkTopic: async () => {
          const cluster = await kafka.openCluster(kafkaSettings, silentLog);
          try {
            await cluster.ends(settings.topic);
          } finally {
            await cluster.close();
          }
        },
        log: silentLog,
        onChange: () => {},
      }),
  });

  const early = mutant === 'sends before it appends' ? newSender() : undefined;
  const forgetful =
    mutant === 'remembers no id' ? new DatabaseSync(settings.outboxFile, { timeout: 5_000 }) : undefined;
  const before = async ({ key, headers, body }: Submission): Promise<void> => {
    if (early !== undefined) {
      const id = await registeredId(registry, AGENT_DEVIATION);
      // Whatever becomes of it, the append comes after.
      await early.send([{ key, headers, value: frame(id, body) }]).catch(() => {});
    }
    forgetful?.exec('delete from remembered where age not in (select seq from waiting)');
  };
  const flush = async (limitMs: number): Promise<number> => {
    const deadline = performance.now() + limitMs;
    for (;;) {
      const waiting = service.waiting();
      if (waiting === 0 || performance.now() > deadline) return waiting ?? 0;
      await sleep(20);
    }
  };
  const recorder: Recorder = {
    record: async (submission) => {
      await before(submission);
      const [answer] = service.append([storable(submission)], new Map());
      return told(answer ?? { kept: false, code: 'OUTBOX_UNAVAILABLE' });
    },
    countRefusal: () => {},
    state: () => {
      const { status, problem } = service.report();
      return Promise.resolve({ outbox: status, problem });
    },
    flush,
    close: async (limitMs) => {
      const waiting = await flush(limitMs);
      await service.close();
      await early?.close();
      forgetful?.close();
      return waiting;
    },
  };
  return createProducer(reportPolicy({ agents: AGENTS_OF_LOAD }), recorder);
};

export const openMutant =
  (mutant: Mutant): OpenProducer =>
  (ground: Ground, { outboxFile, broker, limits }) =>
    composeProducer(mutant, {
      outboxFile,
      broker,
      registryUrl: ground.registryUrl,
      topic: ground.topic,
      ...(limits === undefined ? {} : { limits }),
    });
