/** Avro by hand, for bytes that no encoder of ours would make: a writer of another language, careless or hostile. */
import { NOON_MS, PROJECT, SESSION } from './builders.ts';

/** Zig-zag and base 128. */
export const avroLong = (value: number | bigint): Buffer => {
  const wide = BigInt(value);
  let rest = BigInt.asUintN(64, (wide << 1n) ^ (wide >> 63n));
  const bytes: number[] = [];
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Buffer.from(bytes);
};

export const avroString = (text: string | Buffer): Buffer => {
  const bytes = Buffer.from(text);
  return Buffer.concat([avroLong(bytes.length), bytes]);
};

/** One block, and the end. */
export const avroArray = (items: readonly Buffer[]): Buffer =>
  Buffer.concat([...(items.length === 0 ? [] : [avroLong(items.length), ...items]), avroLong(0)]);

export interface BodyParts {
  readonly eventId: Buffer;
  readonly occurredAt: Buffer;
  readonly actor: Buffer;
  readonly agente: Buffer;
  readonly tipo: Buffer;
  readonly evidence: Buffer;
}

/** A deviation's body, right in every field but those given. */
export const bodyOf = (given: Partial<BodyParts> = {}): Buffer =>
  Buffer.concat([
    given.eventId ?? avroString('e0000000-0000-5000-8000-000000000001'),
    avroString(SESSION),
    avroString(PROJECT),
    given.occurredAt ?? avroLong(NOON_MS),
    given.actor ?? avroLong(0),
    given.agente ?? avroString('desenvolvedor'),
    given.tipo ?? avroLong(0),
    given.evidence ?? avroArray([]),
  ]);
