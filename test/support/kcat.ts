/** Debian's kcat, which knows no Avro and no registry: what it shows of a topic is what the headers and the key say. */
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { linesOf } from './processes.ts';
import { brokers } from './topics.ts';

const LIMIT_MS = 20_000;

export const isKcatHere = (): boolean => {
  try {
    execFileSync('kcat', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

export interface KcatLine {
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Header values hold no comma, so its listing of them can be taken apart. */
const headersIn = (list: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    list
      .split(',')
      .map((pair): [string, string] => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );

export const listWithKcat = async (topic: string): Promise<readonly KcatLine[]> => {
  const asked = ['-C', '-q', '-b', brokers(), '-t', topic, '-o', 'beginning', '-e', '-f', '%k\t%h\n'];
  const { stdout } = await promisify(execFile)('kcat', asked, { timeout: LIMIT_MS });
  return linesOf(stdout).map((line) => {
    const [key = '', headers = ''] = line.split('\t');
    return { key, headers: headersIn(headers) };
  });
};
