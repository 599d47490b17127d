/**
 * An event to bytes and back. Bad bytes are an answer with a reason; only an event that our own code built wrongly
 * throws. Reading goes by the writer's schema and picks the fields of ours: what a writer added is read over and dropped.
 */
import type avro from 'avsc';
import { type EventType, isTipo, loadSchemaText, type SessionEvents } from '../schemas/index.ts';
import { compile, compileOwn } from './avro/compile.ts';
import { isPrecisionLoss } from './avro/guard.ts';
import { isViolation } from './avro/violation.ts';
import { StreamError } from './errors.ts';
import type { QuarantineReason } from './reasons.ts';

export type Decoded<T extends EventType = EventType> =
  | { readonly readable: true; readonly event: SessionEvents[T] }
  | { readonly readable: false; readonly reason: QuarantineReason };

const unreadable = (reason: QuarantineReason): Decoded<never> => ({ readable: false, reason });

interface FieldOfOurs {
  readonly name: string;
  readonly default: unknown;
}

const fieldsOfOurs = (type: EventType): readonly FieldOfOurs[] => {
  const schema = JSON.parse(loadSchemaText(type)) as { fields: FieldOfOurs[] }; // our own file, held by `schema lint`
  return schema.fields;
};

// --- writing -----------------------------------------------------------------------------------------------------

export interface Encoder<T extends EventType> {
  /** The unframed Avro body. Throws EVENT_INVALID, naming the schema path, on a value that breaks the schema. */
  encode(event: SessionEvents[T]): Buffer;
}

/** More than any event of ours takes. */
const SCRATCH_BYTES = 4_096;

const recordFields = (type: avro.Type): readonly avro.types.Field[] => (type as avro.types.RecordType).fields;

export const createEncoder = <T extends EventType>(type: T): Encoder<T> => {
  const { checked } = compileOwn(loadSchemaText(type));
  const fields = recordFields(checked);
  const names = fields.map(({ name }) => name);
  const scratch = Buffer.allocUnsafe(SCRATCH_BYTES);
  const wrong = (where: string): StreamError =>
    new StreamError('EVENT_INVALID', where, 'Correct the code that built the event');

  return {
    encode: (event) => {
      // avsc would drop an undeclared field without a word; an event built by code must not carry one.
      if (Reflect.ownKeys(event).length > names.length) throw wrong(`${type} has a field that its schema lacks`);
      for (const name of names) {
        const value: unknown = Object.hasOwn(event, name) ? Reflect.get(event, name) : undefined;
        if (value === undefined || (Array.isArray(value) && !isSortedSet(value))) throw wrong(`${type}.${name}`);
      }
      try {
        const end = checked.encode(event, scratch);
        // avsc's own buffers are zeroed and not pooled: each costs as much as the writing.
        return end < 0 ? checked.toBuffer(event) : Buffer.from(scratch.subarray(0, end));
      } catch {
        // avsc's own words quote the value; asked field by field, it says where alone.
        const broken = fields.find((field) => !field.type.isValid(Reflect.get(event, field.name)));
        throw wrong(broken === undefined ? type : `${type}.${broken.name}`);
      }
    },
  };
};

// --- reading -----------------------------------------------------------------------------------------------------

export interface Decoder<T extends EventType = EventType> {
  decode(body: Buffer): Decoded<T>;
}

/** Strictly ascending by code unit: sorted and without a repeat in one look. */
const isSortedSet = (items: readonly unknown[]): boolean =>
  items.every((item, index) => index === 0 || String(items[index - 1]) < String(item));

/** What is wrong with the shape of a body, if that is what is wrong with it. */
const shapeProblem = (plain: avro.Type, body: Buffer): QuarantineReason | undefined => {
  const { offset } = plain.decode(body);
  if (offset < 0) return 'TRUNCATED';
  return offset < body.length ? 'TRAILING_BYTES' : undefined;
};

const reasonOf = (error: unknown): QuarantineReason => {
  if (isViolation(error)) return error.reason;
  // The only long of ours is a time, and one beyond 2^53 is none.
  return isPrecisionLoss(error) ? 'TIME_OUT_OF_RANGE' : 'FOREIGN_CONTRACT';
};

/** The reason for a body that the checked type refused: its shape first, then the rule it broke. */
const diagnose = (plain: avro.Type, body: Buffer, refusal: unknown): QuarantineReason => {
  try {
    return shapeProblem(plain, body) ?? reasonOf(refusal);
  } catch (error) {
    return reasonOf(error);
  }
};

/** What a writer added is read over, whatever it holds: the rules of value are for our fields alone. */
const withoutForeignRules = (writerText: string, ours: readonly FieldOfOurs[]): string => {
  const schema = JSON.parse(writerText) as { fields: FieldOfOurs[] }; // judgeWriter saw a record
  const fields = schema.fields.map((field) =>
    ours.some(({ name }) => name === field.name)
      ? field
      : (JSON.parse(JSON.stringify(field), (key, value: unknown) =>
          key === 'logicalType' ? undefined : value,
        ) as FieldOfOurs),
  );
  return JSON.stringify({ ...schema, fields });
};

/** `writerText` must have passed `judgeWriter`. */
export const createDecoder = <T extends EventType>(type: T, writerText: string): Decoder<T> => {
  const fields = fieldsOfOurs(type);
  const { checked, plain } = compile(withoutForeignRules(writerText, fields));

  return {
    decode: (body) => {
      let value: object;
      try {
        const read = checked.decode(body);
        if (read.offset < 0) return unreadable('TRUNCATED');
        if (read.offset < body.length) return unreadable('TRAILING_BYTES');
        value = read.value as object; // a record, since judgeWriter saw a record
      } catch (error) {
        return unreadable(diagnose(plain, body, error));
      }

      const event: Record<string, unknown> = {};
      for (const field of fields) {
        const carried: unknown = Reflect.get(value, field.name);
        event[field.name] = carried === undefined ? field.default : carried;
      }
      for (const item of Object.values(event)) {
        if (Array.isArray(item) && !isSortedSet(item)) return unreadable('EVIDENCE_NOT_CANONICAL');
      }
      // A writer of tomorrow may know more words; none of them becomes one of ours.
      if ('tipo' in event && !isTipo(event.tipo)) return unreadable('TIPO_UNKNOWN');
      return { readable: true, event: event as unknown as SessionEvents[T] }; // every field checked above, by schema
    },
  };
};
