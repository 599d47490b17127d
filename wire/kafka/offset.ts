declare const offsetBrand: unique symbol;
/** A record's place in its partition. Beyond 2^53 on long-lived topics, and nothing to calculate with by accident. */
export type Offset = bigint & { readonly [offsetBrand]: never };

export const offset = (value: string | bigint | number): Offset => BigInt(value) as Offset; // the brand has no other door

export const after = (at: Offset): Offset => offset(at + 1n);
