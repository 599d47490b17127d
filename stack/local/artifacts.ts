import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StreamError } from '../../wire/errors.ts';
import { IMAGES } from '../images.ts';
import { waitUntil } from '../wait.ts';
import { CACHE } from '../folders.ts';
import { PREFERRED_MAJOR } from './java.ts';

/** Something that Maven fetches into a folder of its own. */
export interface Artifact {
  readonly name: string;
  /** The arguments of `mvn`, given the folder to fill. */
  readonly maven: (folder: string) => readonly string[];
}

/** Runs Maven to its end; `fetching` belongs to the run and goes with it when the process is killed. */
export interface Fetcher {
  readonly fetching: string;
  readonly mvn: (args: readonly string[]) => Promise<void>;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const tagOf = (image: string): string => image.slice(image.lastIndexOf(':') + 1);

// This version asks for no parent descriptor; newer ones do, and older registry releases published none.
const DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:2.8';

export const kafkaArtifact = (): Artifact => {
  const version = tagOf(IMAGES.kafka);
  return {
    name: `kafka-${version}`,
    maven: (folder) => [
      `${DEPENDENCY_PLUGIN}:copy-dependencies`,
      `--file=${join(import.meta.dirname, 'pom.xml')}`,
      `-Dkafka.version=${version}`,
      '-DincludeScope=runtime',
      `-DoutputDirectory=${folder}`,
    ],
  };
};

/** The last release of the registry that runs on Java 17. */
const REGISTRY_FOR_OLDER_JAVA = '3.0.9';

export const registryArtifact = (javaMajor: number): Artifact => {
  const version = javaMajor >= PREFERRED_MAJOR ? tagOf(IMAGES.registry) : REGISTRY_FOR_OLDER_JAVA;
  return {
    name: `apicurio-registry-${version}`,
    maven: (folder) => [
      `${DEPENDENCY_PLUGIN}:unpack`,
      `-Dartifact=io.apicurio:apicurio-registry-app:${version}:tar.gz:all`,
      `-DoutputDirectory=${folder}`,
    ],
  };
};

const folderOf = (artifact: Artifact): string => join(CACHE, artifact.name);

/** Written last and moved into place with the rest: a folder without it was not finished. */
const MARKER = 'complete';

export const isHere = (artifact: Artifact): Promise<boolean> =>
  stat(join(folderOf(artifact), MARKER)).then(
    () => true,
    () => false,
  );

/** The first time, more than 200 MB come over the network. */
const LIMIT_MS = 600_000;

/** SQLite's word for: another process holds the lock. */
const BUSY = 5;

/**
 * One process at a time: two Mavens in one repository can spoil each other's files. The lock is a transaction on a side
 * file, because the operating system ends it with its process, however that ends; nothing has to be cleaned up.
 */
const alone = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
  await mkdir(CACHE, { recursive: true });
  const lock = new DatabaseSync(join(CACHE, 'lock'), { timeout: 0 });
  try {
    const isMine = await waitUntil(LIMIT_MS, signal, () => {
      try {
        lock.exec('begin exclusive');
        return true;
      } catch (error) {
        if (error instanceof Error && 'errcode' in error && error.errcode === BUSY) return false;
        throw error;
      }
    });
    if (!isMine) {
      throw new StreamError(
        'STACK_UNAVAILABLE',
        'another run has been downloading for ten minutes',
        'End it and try again.',
      );
    }
    return await work();
  } finally {
    lock.close();
  }
};

/** The folder of an artifact, fetched when it is not here yet. */
export const ensure = async (artifact: Artifact, fetcher: Fetcher): Promise<string> => {
  const folder = folderOf(artifact);
  if (await isHere(artifact)) return folder;
  return alone(fetcher.signal, async () => {
    if (await isHere(artifact)) return folder;
    fetcher.say(`fetching ${artifact.name} with Maven, once; it stays in stack/.cache`);
    const fetching = join(fetcher.fetching, artifact.name);
    await mkdir(fetching, { recursive: true });
    await fetcher.mvn(artifact.maven(fetching));
    await writeFile(join(fetching, MARKER), '');
    await rm(folder, { recursive: true, force: true });
    await rename(fetching, folder);
    return folder;
  });
};

/** The only file of a folder whose name ends so. */
export const fileIn = async (folder: string, ending: string): Promise<string> => {
  const name = (await readdir(folder)).find((each) => each.endsWith(ending));
  if (name === undefined) {
    throw new StreamError('STACK_UNAVAILABLE', `${folder} has no *${ending}`, 'Remove that folder and try again.');
  }
  return join(folder, name);
};
