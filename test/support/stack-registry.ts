/** The registry as a stranger uses it: types of their own beside ours, by the plain HTTP interface. */
import { randomUUID } from 'node:crypto';
import { registryUrl } from './topics.ts';

const JSON_TYPE = 'application/vnd.schemaregistry.v1+json';
const LIMIT_MS = 10_000;

const ask = async (method: string, path: string, body?: unknown, base: string = registryUrl()): Promise<unknown> => {
  const answer = await fetch(`${base}${path}`, {
    method,
    headers: { 'content-type': JSON_TYPE, accept: JSON_TYPE },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: status ${answer.status}`);
  return answer.json();
};

/** Adds a text under a subject; answers its id. */
export const registerText = async (subject: string, text: string, base?: string): Promise<number> => {
  const answer = await ask('POST', `/subjects/${subject}/versions`, { schema: text }, base);
  const id: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'id') : undefined;
  if (typeof id !== 'number') throw new Error(`no id for subject ${subject}`);
  return id;
};

/** The subject with all its versions. */
export const removeSubject = async (subject: string, base?: string): Promise<void> => {
  await ask('DELETE', `/subjects/${subject}`, undefined, base);
  // On Confluent's the first is a soft one; Apicurio has none, and then the subject is gone already.
  await ask('DELETE', `/subjects/${subject}?permanent=true`, undefined, base).catch(() => {});
};

/** The numbers of the subject's versions. */
export const versionsOf = (subject: string, base?: string): Promise<unknown> =>
  ask('GET', `/subjects/${subject}/versions`, undefined, base);

export interface StrangersType {
  readonly name: string;
  readonly id: number;
  /** Its text is free; ours have none. */
  readonly body: (text: string) => Buffer;
  remove(): Promise<void>;
}

/** A record type that nobody here has heard of, registered under its own name. */
export const registerStrangersType = async (): Promise<StrangersType> => {
  const [namespace, name] = ['strangers', `note_${randomUUID().slice(0, 8)}`];
  const subject = `${namespace}.${name}`;
  const id = await registerText(
    subject,
    JSON.stringify({ type: 'record', namespace, name, fields: [{ name: 'text', type: 'string' }] }),
  );
  return {
    name: subject,
    id,
    body: (text) => {
      const bytes = Buffer.from(text);
      if (bytes.length > 63) throw new RangeError('its length must fit into one byte of Avro');
      return Buffer.concat([Buffer.from([bytes.length * 2]), bytes]);
    },
    remove: () => removeSubject(subject),
  };
};
