/**
 * avsc on a short lead. It allocates an array from the count on the wire (four bytes can declare 50 million items),
 * takes `constructor` for a symbol of an enum, and quotes values in its errors. The methods overridden here are internal
 * ones, so the version is pinned and `guard.test.ts` notices when they stop being called.
 */
import avro from 'avsc';
import { Violation } from './violation.ts';

interface Tap {
  readonly buf: Uint8Array;
  pos: number;
  readLong(): number;
  skipLong(): void;
}

/** What every avsc type has at run time beside its published typings. */
interface Internals {
  _read(tap: Tap): unknown;
  _write(tap: Tap, value: unknown): void;
  _check(value: unknown, flags: unknown, hook: unknown, path: unknown): boolean;
}

const internals = (type: avro.Type): Internals => type as unknown as Internals; // see above

/** avsc freezes its types, so a guarded one stands before the real one and inherits all that it does not override. */
const standBefore = (type: avro.Type, overrides: Partial<Internals>): avro.Type =>
  Object.create(type, Object.getOwnPropertyDescriptors(overrides)) as avro.Type; // still a Type, by its prototype

/** The block's count at the tap, without moving it. Every item takes at least a byte: more items than bytes cannot be. */
const peekCount = (tap: Tap): number => {
  const at = tap.pos;
  const declared = tap.readLong();
  if (declared < 0) tap.skipLong();
  const bytesLeft = Math.max(tap.buf.length - tap.pos, 0);
  tap.pos = at;
  const count = Math.abs(declared);
  if (count > bytesLeft) throw new Violation('EVIDENCE_UNBOUNDED');
  return count;
};

const guardedArray = (schema: avro.schema.ArrayType, options: avro.ForSchemaOptions): avro.Type => {
  const type = new avro.types.ArrayType(schema, options);
  const declared: unknown = Reflect.get(schema, 'maxItems');
  const maxItems = typeof declared === 'number' ? declared : Number.POSITIVE_INFINITY;
  const items = internals(type.itemsType);
  const real = internals(type);
  return standBefore(type, {
    _read: (tap) => {
      const values: unknown[] = [];
      for (;;) {
        const count = peekCount(tap);
        if (values.length + count > maxItems) throw new Violation('EVIDENCE_OVER_20');
        if (tap.readLong() < 0) tap.skipLong();
        if (count === 0) return values;
        for (let i = 0; i < count; i += 1) values.push(items._read(tap));
      }
    },
    _write: (tap, value) => {
      if (!Array.isArray(value) || value.length > maxItems) throw new Violation('EVIDENCE_OVER_20');
      real._write(tap, value);
    },
    _check: (value, flags, hook, path) =>
      Array.isArray(value) && value.length <= maxItems && real._check(value, flags, hook, path),
  });
};

/** Only a foreign writer has maps: read over within the bytes there are. avsc itself walks the blocks behind the first. */
const guardedMap = (schema: avro.schema.MapType, options: avro.ForSchemaOptions): avro.Type => {
  const type = new avro.types.MapType(schema, options);
  const values = internals(type.valuesType);
  const key = internals(avro.Type.forSchema('string'));
  return standBefore(type, {
    _read: (tap) => {
      for (;;) {
        const count = peekCount(tap);
        if (tap.readLong() < 0) tap.skipLong();
        if (count === 0) return {};
        for (let i = 0; i < count; i += 1) {
          key._read(tap);
          values._read(tap);
        }
      }
    },
  });
};

const guardedEnum = (schema: avro.schema.EnumType, options: avro.ForSchemaOptions): avro.Type => {
  const type = new avro.types.EnumType(schema, options);
  const real = internals(type);
  const isSymbol = (value: unknown): boolean => (type.symbols as readonly unknown[]).includes(value);
  const guarded = standBefore(type, {
    _read: (tap) => {
      try {
        return real._read(tap);
      } catch {
        throw new Violation('SYMBOL_INVALID');
      }
    },
    _write: (tap, value) => {
      if (!isSymbol(value)) throw new Violation('SYMBOL_INVALID');
      real._write(tap, value);
    },
    _check: isSymbol,
  });
  // A later field may name this enum again: it must find the guarded one.
  const registry = Reflect.get(options, 'registry') as Record<string, avro.Type> | undefined; // avsc always sets it
  if (registry && type.name !== undefined) registry[type.name] = guarded;
  return guarded;
};

const isOfType = <S extends avro.Schema>(schema: avro.Schema, typeName: string): schema is S =>
  typeof schema === 'object' && schema !== null && Reflect.get(schema, 'type') === typeName;

/** avsc's `typeHook`: asked for every node of a schema before avsc builds its own type. */
export const guardedType = (schema: avro.Schema, options: avro.ForSchemaOptions): avro.Type | undefined => {
  if (isOfType<avro.schema.ArrayType>(schema, 'array')) return guardedArray(schema, options);
  if (isOfType<avro.schema.MapType>(schema, 'map')) return guardedMap(schema, options);
  if (isOfType<avro.schema.EnumType>(schema, 'enum')) return guardedEnum(schema, options);
  return undefined;
};

/** avsc refuses a long beyond 2^53 by this message alone. */
export const isPrecisionLoss = (error: unknown): boolean =>
  error instanceof Error && error.message === 'potential precision loss';
