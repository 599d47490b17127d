/** Reports for the measurements: three ids of evidence each, as in the figures they are held against. */
import { randomUUID } from 'node:crypto';
import type { DeviationProducer } from '../producer/index.ts';

export interface BenchOptions {
  readonly env: { readonly KAFKA_BROKERS: string; readonly SCHEMA_REGISTRY_URL: string };
  /** Reports of the memory figure. */
  readonly reports: number;
  /** Events on the topic of the sink's figures. */
  readonly events: number;
  /** Of a question with several parts only these; all of them when none is named. */
  readonly parts: readonly string[];
  readonly say: (line: string) => void;
}

export const AT_ONCE = 64;
export const CLOSE_MS = 2_000;
/** Wide enough that no figure meets a bound. */
export const LIMITS = { maxRows: 10_000_000, maxBytes: 16 * 1024 ** 3 };

/** An address where no broker answers: the outbox alone is measured. */
export const NOBODY = { brokers: ['127.0.0.1:1'] };
export const evidence = [randomUUID(), randomUUID(), randomUUID()];
export const [sessionId, projectId] = [randomUUID(), randomUUID()];

/** Three ids of evidence, as in the measured figures. */
export const reporter = (producer: DeviationProducer) => {
  let calls = 0;
  return async (): Promise<void> => {
    calls += 1;
    const answer = await producer.report({
      context: { sessionId, projectId, toolCallId: `call-${calls}` },
      input: { agente: 'po', tipo: 'laco', evidenceEventIds: evidence },
    });
    if (!answer.recorded) throw new Error(`not recorded: ${answer.code}`);
  };
};

export const atOnce = async (count: number, report: () => Promise<void>): Promise<void> => {
  let left = count;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await report();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
};
