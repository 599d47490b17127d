/** The outbox in a folder of its own, step by step below the producer: what a test of it puts in and looks at. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAppender, type Appender } from '../../producer/outbox/append.ts';
import { DEFAULT_LIMITS, type OutboxLimits } from '../../producer/outbox/limits.ts';
import { openOutboxFile, type OpenedFile } from '../../producer/outbox/outbox-file.ts';
import { type OutboxStatus, readStatus } from '../../producer/outbox/status.ts';
import type { AppendAnswer } from '../../producer/outbox/outbox-service.ts';
import { createWaitingRows, type WaitingRows } from '../../producer/outbox/waiting-rows.ts';
import type { Recording } from '../../producer/recorder.ts';
import { type AnswerCounts, countsIn, storable, type Submission, submissionOf } from '../../producer/submission.ts';
import type { AgentDeviation } from '../../schemas/index.ts';
import { aDeviation, NOON_MS, uuidNo } from './builders.ts';

export const countsOf = (discardedFields: number): AnswerCounts => ({
  discardedFields,
  evidence: { kept: 0, duplicates: 0, malformed: 0, unknown: 0, overCeiling: 0 },
});

/** The n-th report, made ready. */
export const submissionNo = (n: number, given: Partial<AgentDeviation> = {}, discardedFields = 0): Submission =>
  submissionOf(aDeviation({ eventId: uuidNo(n), ...given }), undefined, countsOf(discardedFields));

export const submissionsFrom = (first: number, count: number): readonly Submission[] =>
  Array.from({ length: count }, (_, index) => submissionNo(first + index));

export interface Folder {
  readonly path: string;
  readonly file: string;
  remove(): void;
}

export const newFolder = (under: string = tmpdir()): Folder => {
  const path = mkdtempSync(join(under, 'outbox-test-'));
  return { path, file: join(path, 'outbox.db'), remove: () => rmSync(path, { recursive: true, force: true }) };
};

/** An answer of the appender as the engine gets it. */
export const told = (answer: AppendAnswer): Recording =>
  answer.kept ? { kept: true, counts: countsIn(answer.counts) } : answer;

export interface Box {
  readonly outbox: OpenedFile;
  readonly appender: Appender;
  readonly rows: WaitingRows;
  readonly status: () => OutboxStatus;
  /** Event ids of the rows, the oldest first, those set aside included. */
  readonly ids: () => readonly string[];
  readonly append: (submissions: readonly Submission[]) => readonly Recording[];
}

export interface BoxOptions {
  readonly limits?: Partial<OutboxLimits>;
  readonly nowMs?: () => number;
  readonly memory?: { readonly forMs: number; readonly maxIds: number };
}

/** Opens the file as the outbox's thread does. */
export const openBox = (file: string, options: BoxOptions = {}): Box => {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const nowMs = options.nowMs ?? (() => NOON_MS);
  const outbox = openOutboxFile(file, { maxBytes: limits.maxBytes });
  const { database } = outbox;
  const appender = createAppender(outbox, limits, nowMs, options.memory);
  return {
    outbox,
    appender,
    rows: createWaitingRows(outbox, nowMs),
    status: () => readStatus(database),
    ids: () =>
      database
        .prepare('select event_id from waiting order by seq')
        .all()
        .map((row) => String(row.event_id)),
    append: (submissions) => appender.append(submissions.map(storable), new Map()).map(told),
  };
};

export const rememberedIn = ({ outbox }: Box): readonly string[] =>
  outbox.database
    .prepare('select lower(hex(event_id)) as id from remembered order by age')
    .all()
    .map((row) => String(row['id']).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'));
