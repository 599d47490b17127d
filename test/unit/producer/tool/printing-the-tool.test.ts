import { Readable, Writable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { main } from '../../../../cli/main.ts';
import { DIALECTS, KICKOFF_LANGUAGES, kickoffText, toolFor } from '../../../../producer/index.ts';

const collector = (): { readonly stream: Writable; text(): string } => {
  const parts: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      parts.push(String(chunk));
      done();
    },
  });
  return { stream, text: () => parts.join('') };
};

const tool = async (...args: readonly string[]) => {
  const [stdout, stderr] = [collector(), collector()];
  const io = {
    stdin: Readable.from([]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: {},
    stop: new AbortController().signal,
  };
  const code = await main(['tool', ...args], io, () => Promise.reject(new Error('no stack is needed')));
  return { code, stdout: stdout.text(), stderr: stderr.text() };
};

describe('deviations tool', () => {
  test.each(DIALECTS)('--for %s prints one JSON value and nothing else', async (dialect) => {
    const { code, stdout, stderr } = await tool('--for', dialect);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(toolFor(dialect));
  });

  test.each(KICKOFF_LANGUAGES)('--kickoff %s prints the text', async (language) => {
    expect(await tool('--kickoff', language)).toEqual({ code: 0, stdout: kickoffText(language), stderr: '' });
  });

  test.each([
    ['neither', []],
    ['both', ['--for', 'mcp', '--kickoff', 'en']],
    ['a dialect that is none', ['--for', 'pascal']],
    ['a language that is none', ['--kickoff', 'fr']],
  ])('with %s it is a usage error that says what to give, and prints nothing', async (_, args) => {
    const { code, stdout, stderr } = await tool(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/give --(for|kickoff)/);
    expect(stderr).not.toMatch(/pascal|fr\b/);
  });

  test('names every dialect and language in its help', async () => {
    const { code, stdout } = await tool('--help');
    expect(code).toBe(0);
    for (const word of [...DIALECTS, ...KICKOFF_LANGUAGES]) expect(stdout).toMatch(new RegExp(`\\b${word}\\b`));
  });
});
