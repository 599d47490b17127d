/**
 * Where in the file an id may be remembered, kept in the thread's memory: ids are random, and an index of them in the
 * file would have every report of a group change a page of its own (decision 0011). It names places to look at and no
 * more: the row there is compared in full, and of what was forgotten there is none. So it may know too much, never too
 * little.
 */
import type { DatabaseSync } from 'node:sqlite';

/** 16 bytes, as the file has it. */
export type IdBytes = Buffer;

export const idBytes = (uuid: string): IdBytes => Buffer.from(uuid.replaceAll('-', ''), 'hex');

export interface KnownIds {
  /**
   * At the start, and inside each transaction before it is asked: takes in what any process has added. `accepted` is the greatest age that was
   * ever given, `remembered` how many ids the file has.
   */
  catchUp(accepted: number, remembered: number): void;
  /** The first answer of `look` that is one, at the ages that may be this id's: mostly none, or its own. */
  find<T>(id: IdBytes, look: (age: number) => T | undefined): T | undefined;
  /** Once it is durable. */
  add(id: IdBytes, age: number): void;
}

const FIRST_SLOTS = 1_024;
/** Rows read at once, as one text: a million of them one by one take three times as long. */
const READ_AT_ONCE = 4_000;
const AGE_BYTES = 6;
const ROW_BYTES = AGE_BYTES + 16;
/** An age is kept by its lower half: no two that are remembered at once are so far apart. */
const LOWER_HALF = 2 ** 32;

/** Never 0, which marks a free slot. The ids of one system may share any part of theirs. */
const hashOf = (bytes: Buffer, at: number): number => {
  let hash = 0;
  for (let word = at; word < at + 16; word += 4) {
    hash = Math.imul(hash ^ bytes.readUInt32LE(word), 0x9e37_79b1);
    hash ^= hash >>> 15;
  }
  return hash >>> 0 || 1;
};

export const createKnownIds = (database: DatabaseSync): KnownIds => {
  const read = database.prepare(`
    select max(age) as last, group_concat(printf('%0${AGE_BYTES * 2}x', age) || hex(event_id), '') as rows
    from (select age, event_id from remembered where age > ? order by age limit ${READ_AT_ONCE})`);

  let hashes = new Uint32Array(FIRST_SLOTS);
  let ages = new Uint32Array(FIRST_SLOTS);
  let used = 0;
  let last = 0;

  const put = (hash: number, age: number): void => {
    if (used >= hashes.length * 0.75) grow();
    const mask = hashes.length - 1;
    let slot = hash & mask;
    while (hashes[slot] !== 0) slot = (slot + 1) & mask;
    hashes[slot] = hash;
    ages[slot] = age;
    used += 1;
  };

  const begin = (slots: number): void => {
    hashes = new Uint32Array(slots);
    ages = new Uint32Array(slots);
    used = 0;
  };

  function grow(): void {
    const [oldHashes, oldAges] = [hashes, ages];
    begin(2 * oldHashes.length);
    oldHashes.forEach((hash, slot) => {
      if (hash !== 0) put(hash, oldAges[slot] ?? 0);
    });
  }

  const readOn = (): void => {
    for (;;) {
      const chunk = read.get(last);
      if (typeof chunk?.rows !== 'string') return; // no row is left
      const rows = Buffer.from(chunk.rows, 'hex');
      for (let at = 0; at < rows.length; at += ROW_BYTES) {
        put(hashOf(rows, at + AGE_BYTES), rows.readUIntBE(at, AGE_BYTES) % LOWER_HALF);
      }
      last = Number(chunk.last);
    }
  };

  return {
    catchUp: (accepted, remembered) => {
      // Rather than grow over what was forgotten it begins anew: some tenths of a second in hundreds of thousands of reports.
      if (used > hashes.length * 0.625 && remembered <= hashes.length / 2) {
        begin(hashes.length);
        last = 0;
      }
      if (accepted <= last) return;
      readOn();
      last = Math.max(last, accepted);
    },
    find: (id, look) => {
      const mask = hashes.length - 1;
      const hash = hashOf(id, 0);
      for (let slot = hash & mask; hashes[slot] !== 0; slot = (slot + 1) & mask) {
        if (hashes[slot] !== hash) continue;
        const found = look(last - ((last - (ages[slot] ?? 0)) % LOWER_HALF));
        if (found !== undefined) return found;
      }
      return undefined;
    },
    add: (id, age) => {
      put(hashOf(id, 0), age % LOWER_HALF);
      last = age;
    },
  };
};
