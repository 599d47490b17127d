/** Puts the parts together: report, flush, status, close. */
import { isAgentId } from '../schemas/index.ts';
import { DEFAULT_TOPIC, type kafka, type Log, type RegistrySettings, silentLog, StreamError } from '../wire/index.ts';
import { assembleDeviation } from './assemble.ts';
import { checkReport, type Report, type ReportPolicy } from './check-report.ts';
import type { EvidenceCounts } from './evidence.ts';
import { DEFAULT_LIMITS, type OutboxLimits } from './outbox/limits.ts';
import { createOutboxRecorder } from './outbox/outbox-recorder.ts';
import type { Recorder, RecorderState } from './recorder.ts';
import { type RefusalCode, type Refused, refused } from './refusals.ts';
import { submissionOf } from './submission.ts';

export interface Recorded {
  readonly recorded: true;
  /** Canonical UUID of the event the report became. */
  readonly eventId: string;
  readonly discardedFields: number;
  readonly evidence: EvidenceCounts;
}

export type Answer = Recorded | Refused;

/** What the outbox says, and why it is not available if it is not. */
export type ProducerStatus = RecorderState;

export interface DeviationProducer {
  /** Never throws or rejects, whatever it is given. */
  report(report: Report): Promise<Answer>;
  /** The answer to what could not even be read as a report; counted like any refusal. */
  unreadable(): Refused;
  status(): Promise<ProducerStatus>;
  /**
   * Waits until every accepted report is on the topic or set aside, `limitMs` at most; answers how many still wait,
   * undefined while the outbox cannot be read.
   */
  flush(limitMs: number): Promise<number | undefined>;
  /** Takes no more reports and ends within the limit; answers as `flush` does: what waits is for the next process to send. */
  close(limitMs: number): Promise<number | undefined>;
}

export interface ProducerOptions {
  /** The slugs of the product's agents; a report about any other is refused. */
  readonly agents: Iterable<string>;
  readonly kafka: kafka.KafkaSettings;
  readonly registry: RegistrySettings;
  /** `session-events` unless given. */
  readonly topic?: string;
  /** The file of the durable outbox; made when absent, with its folder. */
  readonly outboxFile: string;
  /** 100,000 rows and 64 MiB unless given. */
  readonly outboxLimits?: Partial<OutboxLimits>;
  /** Told when the outbox or its relay changes, twice a second at most. */
  readonly onStatus?: (status: ProducerStatus) => void;
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

  const refuse = (code: RefusalCode): Refused => {
    // A full or absent outbox counts for itself, once it can.
    if (code !== 'OUTBOX_FULL') recorder.countRefusal(code);
    return refused(code);
  };

  return {
    report: async (report) => {
      const checked = await checkReport(report, policy);
      if (!checked.fine) return refuse(checked.code);
      if (isClosed) return refused('CLOSED');
      const { context, report: said } = checked;
      const event = assembleDeviation(context, said);
      const recording = await recorder.record(
        submissionOf(event, context.traceparent, {
          discardedFields: said.discardedFields,
          evidence: said.evidence.counts,
        }),
      );
      if (!recording.kept) return refuse(recording.code);
      return {
        recorded: true,
        eventId: event.eventId,
        discardedFields: recording.counts.discardedFields,
        evidence: recording.counts.evidence,
      };
    },
    unreadable: () => refuse('REPORT_UNREADABLE'),
    status: () => recorder.state(),
    flush: (limitMs) => recorder.flush(limitMs),
    close: (limitMs) => {
      isClosed = true;
      return recorder.close(limitMs);
    },
  };
};

/** Throws a StreamError on a catalogue that is wrong; an absent broker, registry or disk is no error here. */
export const createDeviationProducer = (options: ProducerOptions): DeviationProducer => {
  const policy = reportPolicy(options);
  const recorder = createOutboxRecorder(
    {
      file: options.outboxFile,
      limits: { ...DEFAULT_LIMITS, ...options.outboxLimits },
      kafka: options.kafka,
      registry: options.registry,
      topic: options.topic ?? DEFAULT_TOPIC,
      reportsState: options.onStatus !== undefined,
    },
    options.log ?? silentLog,
    options.onStatus,
  );
  return createProducer(policy, recorder);
};
