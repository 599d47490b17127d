/**
 * The schema registry's HTTP interface, through the client package's own API layer. What the package puts on top of it is
 * left out on purpose: its `register` changes a subject's level behind one's back, its `decode` has no limit on anything,
 * and its errors take an unreachable registry for a bad request. Here an answer is known, unknown, or an outage.
 */
import { readFileSync } from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createRequire } from 'node:module';
import { StreamError } from './errors.ts';
import { type SchemaId, schemaId } from './frame.ts';
import { within } from './limit.ts';

export interface RegistrySettings {
  /** Base address, with the path of the Confluent-compatible interface. */
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  /** A file with the certificate authority to trust beside the system's. */
  readonly caFile?: string;
  /** How long one answer may take, in milliseconds. */
  readonly timeoutMs?: number;
}

export type SchemaAnswer =
  | { readonly known: true; readonly text: string }
  /** The registry answered and has no Avro text under this id. */
  | { readonly known: false };

export interface SchemaVersion {
  readonly version: number;
  readonly text: string;
}

export interface Registry {
  schemaById(id: SchemaId): Promise<SchemaAnswer>;
  /** The id of exactly this text under the subject, or undefined. */
  idOfText(subject: string, text: string): Promise<SchemaId | undefined>;
  /** Whether the subject has any version. */
  hasSubject(subject: string): Promise<boolean>;
  /** Every version of the subject, the oldest first; none when there is no such subject. */
  versions(subject: string): Promise<readonly SchemaVersion[]>;
  /** Whether the registry would take the text beside this version, by the subject's level. */
  isCompatible(subject: string, version: number, text: string): Promise<boolean>;
  /** Adds the text as a version of the subject; the same text again is the same id. */
  register(subject: string, text: string): Promise<SchemaId>;
  /** The subject's own compatibility level, or undefined when it has none. */
  level(subject: string): Promise<string | undefined>;
  setLevel(subject: string, level: string): Promise<void>;
}

/** What came back, whatever its status. */
interface Reply {
  readonly status: number;
  readonly data: unknown;
  /** Whether a registry said it: a proxy's page and a failed connection are none of its answers. */
  readonly isRegistrys: boolean;
}

/** The parts of the client's response that are used; its own typing is `any`. */
interface RawResponse {
  status(): number;
  data(): unknown;
}

/** Loaded by the first client: an engine that only reports keeps it out of its own thread. */
const require = createRequire(import.meta.url);
const registryApi = () =>
  require('@kafkajs/confluent-schema-registry/dist/api/index.js') as typeof import('@kafkajs/confluent-schema-registry/dist/api/index.js');

const DEFAULT_TIMEOUT_MS = 5_000;

const member = (data: unknown, key: string): unknown =>
  typeof data === 'object' && data !== null ? Reflect.get(data, key) : undefined;

const agentFor = (settings: RegistrySettings): HttpAgent =>
  settings.url.startsWith('https:')
    ? new HttpsAgent(settings.caFile === undefined ? {} : { ca: readFileSync(settings.caFile) })
    : new HttpAgent();

/** The interface's own refusals carry its own number; a proxy's page, its JSON and a failed connection do not. */
const replyOf = (response: RawResponse): Reply => {
  const status = response.status();
  const data = response.data();
  return { status, data, isRegistrys: status < 400 || typeof member(data, 'error_code') === 'number' };
};

/** A refusal whose shape is unknown: as good as no answer. */
const NO_REPLY: Reply = { status: 0, data: undefined, isRegistrys: false };

/** What the client keeps its middlewares in, the one next to the socket first; not in its typings. */
interface ClientInside {
  readonly _manifest: { readonly middleware: unknown[] };
}

/**
 * Lets a refusal pass as an answer, before the client makes an error of it: that error drops the registry's number, and
 * making it fails, with a rejection that nobody handles, when the body is the JSON `null`.
 */
const refusalsAsAnswers = () => ({
  response: (next: () => Promise<unknown>): Promise<unknown> => next().catch((refusal: unknown) => refusal),
});

const isNotFound = (reply: Reply): boolean => reply.status === 404 && reply.isRegistrys;

export const createRegistry = (settings: RegistrySettings): Registry => {
  const timeoutMs = settings.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const api = registryApi().default({
    host: settings.url.replace(/\/+$/, ''),
    clientId: 'agent-deviation-stream',
    agent: agentFor(settings),
    // The client's options are merged into an object all clients share, so every client must say the same.
    retry: { retries: 0 },
    ...(settings.username === undefined
      ? {}
      : { auth: { username: settings.username, password: settings.password ?? '' } }),
    middlewares: [
      () => ({
        prepareRequest: async (next) => (await next()).enhance({ timeout: timeoutMs }),
      }),
    ],
  });
  (api as unknown as ClientInside)._manifest.middleware.unshift(refusalsAsAnswers); // a test notices when it is not there

  const unreachable = (what: string): StreamError =>
    new StreamError(
      'REGISTRY_UNREACHABLE',
      `${what} at ${settings.url}`,
      'Check SCHEMA_REGISTRY_URL (its path too, such as /apis/ccompat/v7) and that the registry is up',
    );

  const ask = async (what: string, call: Promise<RawResponse>): Promise<Reply> => {
    // The socket's own limit comes first; this one holds when an answer drips in without an end.
    const reply = await within(
      timeoutMs + 500,
      call.then(replyOf).catch(() => NO_REPLY),
      () => {
        throw unreachable(`${what} took over ${timeoutMs} ms`);
      },
    );
    const isOutage = !reply.isRegistrys && reply.status !== 401 && reply.status !== 403;
    // The client gives 400 to what was never answered.
    const said = reply.status >= 500 || reply.status === 429 ? `, status ${reply.status}` : '';
    if (isOutage || said !== '') throw unreachable(`${what}${said}`);
    if (reply.status === 401 || reply.status === 403) {
      throw new StreamError(
        'REGISTRY_REFUSED',
        `${what} at ${settings.url}, status ${reply.status}`,
        'Check SCHEMA_REGISTRY_USERNAME and SCHEMA_REGISTRY_PASSWORD_FILE',
      );
    }
    return reply;
  };

  const refused = (what: string, reply: Reply): StreamError =>
    reply.status === 409
      ? new StreamError(
          'CONTRACT_MISMATCH',
          `${what}, status 409`,
          'The registry holds the text incompatible with a version it has; see the contract changes in docs/event.md',
        )
      : new StreamError(
          'REGISTRY_REFUSED',
          `${what}, status ${reply.status}`,
          'Check that SCHEMA_REGISTRY_URL is the Confluent-compatible interface and that this user may do this',
        );

  const idIn = (what: string, reply: Reply): SchemaId => {
    const id = member(reply.data, 'id');
    if (reply.status !== 200 || typeof id !== 'number' || id <= 0) throw refused(what, reply);
    return schemaId(id);
  };

  const versionIn = (what: string, reply: Reply): SchemaVersion => {
    const version = member(reply.data, 'version');
    const text = member(reply.data, 'schema');
    if (reply.status !== 200 || typeof version !== 'number' || typeof text !== 'string') throw refused(what, reply);
    return { version, text };
  };

  const latest = async (subject: string): Promise<SchemaVersion | undefined> => {
    const what = `the look-up of subject ${subject}`;
    const reply = await ask(what, api.Subject.latestVersion({ subject }));
    return isNotFound(reply) ? undefined : versionIn(what, reply);
  };

  return {
    schemaById: async (id) => {
      const what = `the look-up of schema id ${id}`;
      const reply = await ask(what, api.Schema.find({ id }));
      if (isNotFound(reply)) return { known: false };
      const text = member(reply.data, 'schema');
      const schemaType = member(reply.data, 'schemaType') ?? 'AVRO';
      if (reply.status !== 200 || typeof text !== 'string') throw unreachable(what);
      // Another kind of schema is known and foreign; no Avro text of ours reads it.
      return { known: true, text: schemaType === 'AVRO' ? text : '' };
    },

    idOfText: async (subject, text) => {
      const what = `the look-up of subject ${subject}`;
      const reply = await ask(what, api.Subject.registered({ subject, body: { schema: text } }));
      return isNotFound(reply) ? undefined : idIn(what, reply);
    },

    hasSubject: async (subject) => (await latest(subject)) !== undefined,

    versions: async (subject) => {
      const last = await latest(subject);
      const versions: SchemaVersion[] = [];
      for (let version = 1; version < (last?.version ?? 1); version += 1) {
        const what = `version ${version} of subject ${subject}`;
        const reply = await ask(what, api.Subject.version({ subject, version }));
        // A deleted version leaves its number behind.
        if (!isNotFound(reply)) versions.push(versionIn(what, reply));
      }
      return last === undefined ? [] : [...versions, last];
    },

    isCompatible: async (subject, version, text) => {
      const what = `the compatibility with version ${version} of subject ${subject}`;
      const reply = await ask(what, api.Subject.compatible({ subject, version, body: { schema: text } }));
      const answer = member(reply.data, 'is_compatible');
      if (reply.status !== 200 || typeof answer !== 'boolean') throw refused(what, reply);
      return answer;
    },

    register: async (subject, text) => {
      const what = `the registration of subject ${subject}`;
      return idIn(what, await ask(what, api.Subject.register({ subject, body: { schema: text } })));
    },

    level: async (subject) => {
      const what = `the level of subject ${subject}`;
      const reply = await ask(what, api.Subject.config({ subject }));
      if (isNotFound(reply)) return undefined;
      const level = member(reply.data, 'compatibilityLevel');
      if (reply.status !== 200 || typeof level !== 'string') throw refused(what, reply);
      return level.toUpperCase();
    },

    setLevel: async (subject, level) => {
      const what = `setting the level of subject ${subject}`;
      const reply = await ask(what, api.Subject.updateConfig({ subject, body: { compatibility: level } }));
      if (reply.status !== 200) throw refused(what, reply);
    },
  };
};
