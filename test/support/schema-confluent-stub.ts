/**
 * As much of Confluent's own registry, which cannot be had here, as registering needs, by its documented behaviour:
 * a global level of BACKWARD that counts where a subject has none; `GET /config/{subject}` is 404 with 40408 then; a level
 * can be set before the first version; a text is kept, compared and handed back in a writing of its own.
 */
import avro from 'avsc';
import { openRegistryStub, type RegistryStub, type StubAnswer, type StubRequest } from './registry-stub.ts';

interface Version {
  readonly version: number;
  readonly id: number;
  readonly schema: string;
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
};

/** The registry's own writing of a text. */
const rewritten = (text: string): string => JSON.stringify(sorted(JSON.parse(text)));

const canRead = (reader: string, writer: string): boolean => {
  const [ours, theirs] = [reader, writer].map((text) => avro.Type.forSchema(JSON.parse(text) as avro.Schema));
  try {
    if (ours === undefined || theirs === undefined) return false;
    ours.createResolver(theirs);
    return true;
  } catch {
    return false;
  }
};

const GLOBAL_LEVEL = 'BACKWARD';

const isHeldBy = (level: string, schema: string, other: string): boolean =>
  level === 'NONE' ||
  ((level.startsWith('FORWARD') || canRead(schema, other)) && (level.startsWith('BACKWARD') || canRead(other, schema)));

const ok = (body: unknown): StubAnswer => ({ status: 200, body });
const no = (status: number, error_code: number): StubAnswer => ({ status, body: { error_code, message: 'said no' } });

export const openConfluentStub = async (): Promise<RegistryStub & { readonly forget: () => void }> => {
  const subjects = new Map<string, Version[]>();
  const levels = new Map<string, string>();
  const ids: string[] = [];

  const idOf = (schema: string): number => (ids.includes(schema) ? ids.indexOf(schema) : ids.push(schema) - 1) + 1;
  const levelOf = (subject: string): string => levels.get(subject) ?? GLOBAL_LEVEL;

  const register = (subject: string, schema: string): StubAnswer => {
    const versions = subjects.get(subject) ?? [];
    const same = versions.find((one) => one.schema === schema);
    if (same !== undefined) return ok({ id: same.id });
    const level = levelOf(subject);
    const held = level.endsWith('_TRANSITIVE') ? versions : versions.slice(-1);
    if (!held.every((one) => isHeldBy(level, schema, one.schema))) return no(409, 409);
    const added = { version: (versions.at(-1)?.version ?? 0) + 1, id: idOf(schema), schema };
    subjects.set(subject, [...versions, added]);
    return ok({ id: added.id });
  };

  const lookUp = (subject: string, schema: string): StubAnswer => {
    const versions = subjects.get(subject);
    if (versions === undefined) return no(404, 40401);
    const same = versions.find((one) => one.schema === schema);
    return same === undefined ? no(404, 40403) : ok({ subject, ...same });
  };

  const version = (subject: string, which: string): StubAnswer => {
    const versions = subjects.get(subject);
    if (versions === undefined) return no(404, 40401);
    const found = which === 'latest' ? versions.at(-1) : versions.find((one) => String(one.version) === which);
    return found === undefined ? no(404, 40402) : ok({ subject, ...found });
  };

  const compatible = (subject: string, which: string, schema: string): StubAnswer => {
    const found = subjects.get(subject)?.find((one) => String(one.version) === which);
    return found === undefined
      ? no(404, 40402)
      : ok({ is_compatible: isHeldBy(levelOf(subject), schema, found.schema) });
  };

  const answer = ({ method, path, body }: StubRequest): StubAnswer => {
    const [first = '', ...rest] = path.split('/').slice(1).map(decodeURIComponent);
    const sent = (body === '' ? {} : JSON.parse(body)) as { schema?: string; compatibility?: string };
    const schema = sent.schema === undefined ? '' : rewritten(sent.schema);
    const [subject = '', , which] = rest;
    switch (`${method} ${first} ${rest.length}`) {
      case 'POST subjects 2':
        return register(subject, schema);
      case 'POST subjects 1':
        return lookUp(subject, schema);
      case 'GET subjects 3':
        return version(subject, which ?? '');
      case 'POST compatibility 4':
        return compatible(rest[1] ?? '', rest[3] ?? '', schema);
      case 'GET config 1':
        return levels.has(subject) ? ok({ compatibilityLevel: levels.get(subject) }) : no(404, 40408);
      case 'PUT config 1':
        levels.set(subject, sent.compatibility ?? '');
        return ok({ compatibility: sent.compatibility });
      case 'DELETE config 1':
        levels.delete(subject);
        return ok({});
      case 'GET schemas 2': {
        const text = ids[Number(rest[1]) - 1];
        return text === undefined ? no(404, 40403) : ok({ schema: text });
      }
      default:
        return no(405, 405);
    }
  };

  const stub = await openRegistryStub(answer);
  return {
    ...stub,
    forget: () => {
      subjects.clear();
      levels.clear();
      ids.length = 0;
    },
  };
};
