/** Why the outbox is not available: the operator's code. The model sees `OUTBOX_UNAVAILABLE` alone. */
import { type SqliteCode, sqliteCodeOf } from '../../wire/index.ts';

export const OUTBOX_PROBLEMS = [
  'OUTBOX_DISK_FULL',
  'OUTBOX_LOCKED',
  'OUTBOX_CORRUPT',
  'OUTBOX_READ_ONLY',
  'OUTBOX_NEWER_FORMAT',
  'OUTBOX_CANNOT_OPEN',
  'OUTBOX_IO',
] as const;
export type OutboxProblem = (typeof OUTBOX_PROBLEMS)[number];

/** What the operator does about it. */
export const PROBLEM_NEXT = {
  OUTBOX_DISK_FULL: 'Make room on the disk of the outbox',
  OUTBOX_LOCKED: 'Find the process that holds the outbox file locked',
  OUTBOX_CORRUPT: 'The file is set aside as soon as no other process has it open; stop the others',
  OUTBOX_READ_ONLY: 'Make the folder of the outbox writable for this user',
  OUTBOX_NEWER_FORMAT: 'The file was written by a newer version: run that version, or give another OUTBOX_FILE',
  OUTBOX_CANNOT_OPEN: 'Check that the folder of the outbox exists and is writable for this user',
  OUTBOX_IO: 'Check the disk of the outbox',
} as const satisfies Record<OutboxProblem, string>;

const BY_SQLITE: Readonly<Record<SqliteCode, OutboxProblem>> = {
  BUSY: 'OUTBOX_LOCKED',
  READ_ONLY: 'OUTBOX_READ_ONLY',
  IO: 'OUTBOX_IO',
  CORRUPT: 'OUTBOX_CORRUPT',
  DISK_FULL: 'OUTBOX_DISK_FULL',
  CANNOT_OPEN: 'OUTBOX_CANNOT_OPEN',
  CONSTRAINT: 'OUTBOX_CORRUPT',
  OTHER: 'OUTBOX_IO',
};

export class NewerFormat extends Error {
  override readonly name = 'NewerFormat';
}

const BY_SYSTEM: Readonly<Record<string, OutboxProblem>> = {
  ENOSPC: 'OUTBOX_DISK_FULL',
  EROFS: 'OUTBOX_READ_ONLY',
  EACCES: 'OUTBOX_READ_ONLY',
  EPERM: 'OUTBOX_READ_ONLY',
  ENOENT: 'OUTBOX_CANNOT_OPEN',
  ENOTDIR: 'OUTBOX_CANNOT_OPEN',
  EISDIR: 'OUTBOX_CANNOT_OPEN',
};

export const problemOf = (error: unknown): OutboxProblem => {
  if (error instanceof NewerFormat) return 'OUTBOX_NEWER_FORMAT';
  const sqlite = sqliteCodeOf(error);
  if (sqlite !== undefined) return BY_SQLITE[sqlite];
  const system: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return (typeof system === 'string' ? BY_SYSTEM[system] : undefined) ?? 'OUTBOX_IO';
};
