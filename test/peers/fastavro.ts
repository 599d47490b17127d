/** fastavro, in a folder of its own beside this file: installed once, never into the machine's Python. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const HERE = import.meta.dirname;
const CACHE = join(HERE, '.cache');
const REQUIREMENTS = join(HERE, 'requirements.txt');
const PYTHON = 'python3';
const INSTALL_LIMIT_MS = 120_000;
const ANSWER_LIMIT_MS = 20_000;

export interface PeerRequest {
  /** The schema's text. */
  readonly schema: string;
  /** Avro bodies in hexadecimal, to be read. */
  readonly bodies: readonly string[];
  /** Events, to be written. */
  readonly values: readonly object[];
}

export interface PeerAnswer {
  readonly read: readonly unknown[];
  readonly written: readonly string[];
}

export type Peer =
  | { readonly works: true; readonly ask: (request: PeerRequest) => Promise<PeerAnswer> }
  | { readonly works: false; readonly because: string };

interface Run {
  readonly ended: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

const run = (args: readonly string[], limitMs: number, env: NodeJS.ProcessEnv = {}, input = ''): Promise<Run> =>
  new Promise((resolve) => {
    const child = execFile(
      PYTHON,
      [...args],
      { timeout: limitMs, killSignal: 'SIGKILL', env: { ...process.env, ...env }, maxBuffer: 16 * 2 ** 20 },
      (error, stdout, stderr) => resolve({ ended: error === null, stdout, stderr }),
    );
    // A Python that ends before it reads says so by its exit code.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });

/** Into a folder of this process, then renamed: another run at the same time sees all of it or nothing. */
const install = async (folder: string): Promise<boolean> => {
  const fresh = `${folder}.${process.pid}`;
  mkdirSync(CACHE, { recursive: true });
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'];
  const what = ['--only-binary=:all:', '--no-deps', '--target', fresh, '-r', REQUIREMENTS];
  const { ended } = await run([...pip, ...what], INSTALL_LIMIT_MS, { PIP_ROOT_USER_ACTION: 'ignore' });
  if (ended && !existsSync(folder)) renameSync(fresh, folder);
  rmSync(fresh, { recursive: true, force: true });
  return existsSync(folder);
};

export const preparePeer = async (): Promise<Peer> => {
  const version = await run(['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], ANSWER_LIMIT_MS);
  if (!version.ended) return { works: false, because: `there is no ${PYTHON}` };
  const wanted = readFileSync(REQUIREMENTS, 'utf8').trim().replace('==', '-');
  const folder = join(CACHE, `${wanted}-for-python-${version.stdout.trim()}`);
  if (!existsSync(folder) && !(await install(folder))) {
    return { works: false, because: `pip could not install fastavro within ${INSTALL_LIMIT_MS / 1000} s` };
  }
  return {
    works: true,
    ask: async (request) => {
      const answer = await run(
        [join(HERE, 'fastavro_peer.py')],
        ANSWER_LIMIT_MS,
        { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' },
        JSON.stringify(request),
      );
      if (!answer.ended) throw new Error(`fastavro refused: ${answer.stderr.trim().split('\n').at(-1) ?? ''}`);
      return JSON.parse(answer.stdout) as PeerAnswer; // our own script's answer
    },
  };
};
