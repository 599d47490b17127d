/** Which places of the topic have their row: two bits an offset, so that a million records take a quarter of a megabyte. */
const PAGE_OFFSETS = 65_536;
const PER_BYTE = 4;
const MET = 1;
const COUNTED = 2;

export interface PlaceSet {
  /** The record there has its row. */
  meet(partition: number, offset: bigint): void;
  /** A row lies there: `first` at a place that was met, `again` for every further one, `unmet` otherwise. */
  count(partition: number, offset: bigint): 'first' | 'again' | 'unmet';
}

export const createPlaceSet = (): PlaceSet => {
  const pages = new Map<string, Uint8Array>();

  const at = (partition: number, offset: bigint) => {
    const key = `${partition} ${offset / BigInt(PAGE_OFFSETS)}`;
    const within = Number(offset % BigInt(PAGE_OFFSETS));
    return { key, byte: Math.floor(within / PER_BYTE), shift: (within % PER_BYTE) * 2 };
  };

  return {
    meet: (partition, offset) => {
      const { key, byte, shift } = at(partition, offset);
      const page = pages.get(key) ?? new Uint8Array(PAGE_OFFSETS / PER_BYTE);
      pages.set(key, page);
      page[byte] = (page[byte] ?? 0) | (MET << shift);
    },
    count: (partition, offset) => {
      const { key, byte, shift } = at(partition, offset);
      const page = pages.get(key);
      const bits = ((page?.[byte] ?? 0) >> shift) & 3;
      if (page === undefined || (bits & MET) === 0) return 'unmet';
      if ((bits & COUNTED) !== 0) return 'again';
      page[byte] = (page[byte] ?? 0) | (COUNTED << shift);
      return 'first';
    },
  };
};
