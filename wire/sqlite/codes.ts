/** SQLite's primary result codes by name; decided by number, since the texts of its errors quote values. */
const NAMES = {
  5: 'BUSY',
  6: 'BUSY',
  8: 'READ_ONLY',
  10: 'IO',
  11: 'CORRUPT',
  13: 'DISK_FULL',
  14: 'CANNOT_OPEN',
  19: 'CONSTRAINT',
  26: 'CORRUPT',
} as const;

export type SqliteCode = (typeof NAMES)[keyof typeof NAMES] | 'OTHER';

/** Undefined when SQLite did not say it at all. */
export const sqliteCodeOf = (error: unknown): SqliteCode | undefined => {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'errcode') : undefined;
  if (typeof code !== 'number') return undefined;
  const primary = code & 0xff;
  return Object.hasOwn(NAMES, primary) ? NAMES[primary as keyof typeof NAMES] : 'OTHER';
};
