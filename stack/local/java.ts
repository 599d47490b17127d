import { execFile } from 'node:child_process';
import { access, constants, readFile, readdir, realpath } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../stack.ts';

export interface Java {
  readonly command: string;
  readonly major: number;
}

/** Kafka 4 needs Java 17. */
const LOWEST_MAJOR = 17;
/** What the newer registry needs; an older Java is taken only when there is no such one. */
export const PREFERRED_MAJOR = 21;

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** The first executable file of that name on the PATH. */
export const findOnPath = async (name: string, environment: Environment): Promise<string | undefined> => {
  for (const folder of (environment['PATH'] ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  return undefined;
};

/** `17.0.15` and `25` begin with their major version, `1.8.0_402` is Java 8. */
const majorOf = (version: string): number => Number(/^(?:1\.)?(\d+)/.exec(version)?.[1] ?? 0);

/** Most installations say it in a file, which is much faster to read than a Java is to start. */
const readMajor = async (command: string): Promise<number> => {
  const release = await readFile(join(dirname(dirname(command)), 'release'), 'utf8').catch(() => '');
  const written = /^JAVA_VERSION="([^"]+)"/m.exec(release)?.[1];
  if (written !== undefined) return majorOf(written);
  const told = await promisify(execFile)(command, ['-version'], { timeout: 10_000 }).catch(() => ({ stderr: '' }));
  return majorOf(/version "([^"]+)"/.exec(told.stderr)?.[1] ?? '');
};

/** Looked for at JAVA_HOME, on the PATH and below /usr/lib/jvm: the first of 21 or newer, else the first of 17 or newer. */
export const findJava = async (environment: Environment, jvms = '/usr/lib/jvm'): Promise<Java | undefined> => {
  const home = environment['JAVA_HOME'];
  const onPath = await findOnPath('java', environment);
  const below = (await readdir(jvms).catch(() => [])).map((name) => join(jvms, name, 'bin', 'java'));

  let older: Java | undefined;
  for (const candidate of [...(home ? [join(home, 'bin', 'java')] : []), ...(onPath ? [onPath] : []), ...below]) {
    if (!(await isExecutable(candidate))) continue;
    const command = await realpath(candidate);
    const major = await readMajor(command);
    if (major >= PREFERRED_MAJOR) return { command, major };
    if (major >= LOWEST_MAJOR) older ??= { command, major };
  }
  return older;
};
