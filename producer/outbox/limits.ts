/** The outbox's bounds, each with its reason. Full means refuse; what was accepted is never dropped. */
export interface OutboxLimits {
  /** Rows that wait or are set aside. */
  readonly maxRows: number;
  /** Bytes of those rows, the write-ahead log counted. */
  readonly maxBytes: number;
}

/** Days of a busy product, and a size that no disk notices (design section 4). */
export const DEFAULT_LIMITS: OutboxLimits = { maxRows: 100_000, maxBytes: 64 * 1024 * 1024 };

/** For how long a repeated call gets its first answer again, in milliseconds, and for how many calls at most. */
export const MEMORY = { forMs: 7 * 24 * 3_600_000, maxIds: 1_000_000 } as const;

/** How long a writer waits for another process's transaction, in milliseconds: the longest a report waits for the disk's lock. */
export const BUSY_TIMEOUT_MS = 5_000;
