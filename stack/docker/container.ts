import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GenericContainer, getContainerRuntimeClient } from 'testcontainers';
import { StreamError } from '../../wire/errors.ts';
import { FAILED } from '../folders.ts';
import type { Body } from '../server.ts';

type Engine = Awaited<ReturnType<typeof getContainerRuntimeClient>>['container'];
type Container = ReturnType<Engine['getById']>;

const END_LIMIT_SECONDS = 5;

/** With its volumes. That it is gone already is what was wanted. */
export const removeContainer = async (container: Container): Promise<void> => {
  await container.remove({ force: true, v: true }).catch(() => {});
};

/** The engine puts eight bytes before every piece of a log; the last four of them are its length. */
const textOf = (log: Buffer): Buffer => {
  const pieces: Buffer[] = [];
  for (let at = 0; at + 8 <= log.length; ) {
    const end = at + 8 + log.readUInt32BE(at + 4);
    pieces.push(log.subarray(at + 8, end));
    at = end;
  }
  return Buffer.concat(pieces);
};

/** A container as the body of a server: Testcontainers creates it, and the engine is told directly what happens then. */
export const containerBody = (name: string, plan: GenericContainer, engine: Engine): Body => {
  let created: Container | undefined;
  const container = (): Container => {
    if (created === undefined) throw new Error('this container was not started or is removed');
    return created;
  };
  return {
    start: async () => {
      if (created !== undefined) return created.start();
      try {
        created = engine.getById((await plan.start()).getId());
      } catch {
        // What the engine says quotes commands and addresses; the reason is in the state of the container or the image.
        throw new StreamError('STACK_UNAVAILABLE', `the engine could not start ${name}`, 'Look at its own log.');
      }
    },
    isRunning: async () => (await container().inspect()).State.Running,
    pause: () => container().pause(),
    resume: () => container().unpause(),
    kill: () => container().kill(),
    end: async () => {
      // The engine refuses to stop a paused container, to resume one that goes on, and to stop one that has ended.
      await container()
        .unpause()
        .catch(() => {});
      await container()
        .stop({ t: END_LIMIT_SECONDS })
        .catch(() => {});
    },
    remove: async () => {
      if (created !== undefined) await removeContainer(created);
      created = undefined;
    },
    keepLog: async () => {
      await mkdir(FAILED, { recursive: true });
      const kept = join(FAILED, `${name}.log`);
      // Of the container itself: the stream that Testcontainers offers goes on for as long as the container does.
      await writeFile(kept, textOf(await container().logs({ follow: false, stdout: true, stderr: true })));
      return kept;
    },
  };
};
