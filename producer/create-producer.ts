/** Puts the parts together: report, flush, status, close. */
import { isAgentId } from '../schemas/index.ts';
import {
  createRegistry,
  DEFAULT_TOPIC,
  kafka,
  type Log,
  type RegistrySettings,
  silentLog,
  StreamError,
} from '../wire/index.ts';
import { assembleDeviation } from './assemble.ts';
import { checkReport, type Report, type ReportPolicy } from './check-report.ts';
import type { EvidenceCounts } from './evidence.ts';
import { outgoing } from './outgoing.ts';
import type { Recorder } from './recorder.ts';
import { type RefusalCode, type Refused, refused } from './refusals.ts';
import { createStraightSend } from './straight-send.ts';

export interface Recorded {
  readonly recorded: true;
  /** Canonical UUID of the event the report became. */
  readonly eventId: string;
  readonly discardedFields: number;
  readonly evidence: EvidenceCounts;
}

export type Answer = Recorded | Refused;

export interface ProducerStatus {
  readonly recorded: number;
  readonly refused: Readonly<Partial<Record<RefusalCode, number>>>;
}

export interface DeviationProducer {
  /** Never throws or rejects, whatever it is given. */
  report(report: Report): Promise<Answer>;
  status(): ProducerStatus;
  /** Waits until every accepted report is on the topic, `limitMs` at most; answers how many still wait. */
  flush(limitMs: number): Promise<number>;
  /** Takes no more reports and ends within the limit; answers how many still wait. */
  close(limitMs: number): Promise<number>;
}

export interface ProducerOptions {
  /** The slugs of the product's agents; a report about any other is refused. */
  readonly agents: Iterable<string>;
  readonly kafka: kafka.KafkaSettings;
  readonly registry: RegistrySettings;
  /** `session-events` unless given. */
  readonly topic?: string;
  /** Makes the engine's look-up of session events mandatory; without it an evidence list can carry hidden text. */
  readonly requireEvidenceLookup?: boolean;
  /** The engine's clock, in milliseconds since 1970-01-01 UTC. */
  readonly nowMs?: () => number;
  readonly log?: Log;
}

/** Every agent of a catalogue must be one that the schema lets through. */
const catalogue = (agents: Iterable<string>): ReadonlySet<string> => {
  const slugs = new Set(agents);
  if (slugs.size === 0 || ![...slugs].every(isAgentId)) {
    throw new StreamError(
      'CONFIG_INVALID',
      'the catalogue of agents',
      'Give at least one slug, each of lower-case letters, digits and single hyphens, at most 32 characters',
    );
  }
  return slugs;
};

export const reportPolicy = (
  options: Pick<ProducerOptions, 'agents' | 'requireEvidenceLookup' | 'nowMs'>,
): ReportPolicy => ({
  agents: catalogue(options.agents),
  requireEvidenceLookup: options.requireEvidenceLookup ?? false,
  nowMs: options.nowMs ?? Date.now,
});

/** One step lower than `createDeviationProducer`: tests start here, with a recorder of their own. */
export const createProducer = (policy: ReportPolicy, recorder: Recorder): DeviationProducer => {
  let isClosed = false;
  let recorded = 0;
  const refusals: Partial<Record<RefusalCode, number>> = {};

  const refuse = (code: RefusalCode): Refused => {
    refusals[code] = (refusals[code] ?? 0) + 1;
    return refused(code);
  };

  return {
    report: async (report) => {
      const checked = await checkReport(report, policy);
      if (!checked.fine) return refuse(checked.code);
      if (isClosed) return refuse('CLOSED');
      const event = assembleDeviation(checked.context, checked.report);
      const recording = await recorder.record(outgoing(event, checked.context.traceparent));
      if (!recording.kept) return refuse(recording.code);
      recorded += 1;
      return {
        recorded: true,
        eventId: event.eventId,
        discardedFields: checked.report.discardedFields,
        evidence: checked.report.evidence.counts,
      };
    },
    status: () => ({ recorded, refused: { ...refusals } }),
    flush: (limitMs) => recorder.flush(limitMs),
    close: (limitMs) => {
      isClosed = true;
      return recorder.close(limitMs);
    },
  };
};

/** Throws a StreamError on a catalogue or setting that is wrong; an absent broker or registry is no error here. */
export const createDeviationProducer = (options: ProducerOptions): DeviationProducer => {
  const log = options.log ?? silentLog;
  const sender = kafka.createSender(options.kafka, options.topic ?? DEFAULT_TOPIC, log);
  return createProducer(reportPolicy(options), createStraightSend(sender, createRegistry(options.registry), log));
};
