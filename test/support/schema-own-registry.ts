/** A registry of one's own: the subjects have fixed names, which other tests use on the shared one. */
import { afterAll, beforeAll, describe } from '@jest/globals';
import { type Server, type StartedKind, startRegistry } from '../../stack/index.ts';
import { EVENT_TYPES } from '../../schemas/index.ts';

const KINDS: readonly string[] = ['docker', 'local'] satisfies readonly StartedKind[];

/** Ten minutes, because a first start may have to download the server. */
const START_LIMIT_MS = 600_000;

export interface OwnRegistry {
  readonly url: string;
  readonly server: Server;
  /** Without any subject, as on its first day. */
  forget(): Promise<void>;
}

const remove = async (url: string): Promise<void> => {
  const answer = await fetch(url, { method: 'DELETE', signal: AbortSignal.timeout(20_000) });
  if (!answer.ok && answer.status !== 404) throw new Error(`the registry does not delete: status ${answer.status}`);
};

/** `describe` with a registry that lives as long as its tests; skipped, with the reason, where none can be started. */
export const describeWithOwnRegistry = (name: string, tests: (registry: () => OwnRegistry) => void): void => {
  const kind = process.env['TEST_STACK_KIND'] ?? 'given';
  if (!KINDS.includes(kind)) {
    process.stderr.write(`${name}: skipped, for a ${kind} stack no registry of one's own can be started\n`);
    describe.skip(name, () => tests(() => ({ url: '', server: undefined as never, forget: async () => {} }))); // never run
    return;
  }
  describe(name, () => {
    let server: Server | undefined;
    beforeAll(async () => {
      // one of KINDS, as was asked above
      server = await startRegistry(kind as StartedKind, { environment: process.env, say: () => {} });
    }, START_LIMIT_MS);
    afterAll(() => server?.stop());

    tests(() => {
      if (server === undefined) throw new Error('the registry is not up yet');
      const url = server.address;
      return {
        url,
        server,
        forget: async () => {
          for (const subject of EVENT_TYPES) {
            await remove(`${url}/subjects/${subject}`);
            await remove(`${url}/subjects/${subject}?permanent=true`);
          }
        },
      };
    });
  });
};
