import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Finding } from '../choose.ts';
import { codeOf } from '../../wire/errors.ts';
import { IMAGES } from '../images.ts';
import type { Environment } from '../stack.ts';

const ANSWER_LIMIT_MS = 10_000;
const PULL_LIMIT_MS = 60_000;

/** An engine answers, and the images are here or come within a minute. The database's image is not needed for a stack. */
export const lookForDocker = async (environment: Environment, say: (line: string) => void): Promise<Finding> => {
  const docker = (args: readonly string[], timeout: number): Promise<unknown> =>
    promisify(execFile)('docker', args, { env: { ...environment }, timeout });

  try {
    await docker(['version', '--format', '{{.Server.Version}}'], ANSWER_LIMIT_MS);
  } catch (error) {
    return {
      works: false,
      because: codeOf(error) === 'ENOENT' ? 'no docker command on the PATH' : 'no engine answers',
    };
  }
  const missing: string[] = [];
  for (const image of [IMAGES.kafka, IMAGES.registry]) {
    await docker(['image', 'inspect', image], ANSWER_LIMIT_MS).catch(() => missing.push(image));
  }
  if (missing.length === 0) return { works: true, because: 'an engine answers and the images are here' };

  say(`docker: pulling ${missing.join(' and ')}, for a minute at most`);
  try {
    await Promise.all(missing.map((image) => docker(['pull', '--quiet', image], PULL_LIMIT_MS)));
    return { works: true, because: 'an engine answers and the images could be pulled' };
  } catch {
    return { works: false, because: `an engine answers but ${missing.join(' and ')} could not be pulled` };
  }
};
