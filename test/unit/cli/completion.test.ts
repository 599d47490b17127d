/** The scripts as the shells take them: each is run by its own shell on lines that a person would type. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FORMATS } from '../../../cli/output/format.ts';
import { TIPOS } from '../../../schemas/index.ts';
import { runCli } from '../../support/run-cli.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const isHere = (shell: Shell): boolean => {
  try {
    execFileSync(shell, ['-c', 'exit 0'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write(`completion: ${shell} is skipped, it is not on the PATH\n`);
    return false;
  }
};

let folder: string;
const scriptFile = (shell: Shell): string => join(folder, `deviations.${shell}`);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'deviations-completion-'));
  for (const shell of SHELLS) {
    const ran = await runCli(['completion', shell]);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    writeFileSync(scriptFile(shell), ran.stdout);
  }
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** How each shell is asked what it offers for the last word; one a line. */
const ASK: Readonly<Record<Shell, (words: readonly string[]) => string>> = {
  bash: (words) =>
    `source ${quoted(scriptFile('bash'))}
     COMP_WORDS=(${words.map(quoted).join(' ')}); COMP_CWORD=${words.length - 1}
     _deviations; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // The functions of its completion system work within its line editor alone: here they print what they are given.
  zsh: (words) =>
    `compdef() { :; }; compset() { :; }; compadd() { shift; print -rl -- "$@"; }
     _message() { :; }; _files() { print FILES; }
     _describe() { print -rl -- "\${(@)\${(P@)4}%%:*}"; }
     source ${quoted(scriptFile('zsh'))}
     words=(${words.map(quoted).join(' ')}); CURRENT=${words.length}
     _deviations`,
  fish: (words) =>
    `source ${quoted(scriptFile('fish'))}; complete -C ${quoted(words.join(' '))} | string replace -r '\\t.*' ''; true`,
};

const offered = async (shell: Shell, words: readonly string[]): Promise<readonly string[]> => {
  const last = words.at(-1) ?? '';
  const { stdout } = await promisify(execFile)(shell, ['-c', ASK[shell](words)], { cwd: folder });
  return stdout
    .split('\n')
    .filter((word) => word !== '' && word.startsWith(last.slice(last.lastIndexOf(',') + 1)))
    .sort();
};

const sorted = (words: readonly string[]): readonly string[] => [...words].sort();

describe.each(SHELLS)('completion of %s', (shell) => {
  const testIt = isHere(shell) ? test : test.skip;

  testIt('is a script that the shell takes', async () => {
    const { stderr } = await promisify(execFile)(shell, ['-n', scriptFile(shell)]);
    expect(stderr).toBe('');
  });

  testIt.each<[string, readonly string[]]>([
    ['deviations quer', ['query']],
    ['deviations topic ', ['create', 'show']],
    ['deviations --color always topic c', ['create']],
    ['deviations query --tipo ', sorted(TIPOS)],
    ['deviations query --tipo rep', ['reparo_pelo_usuario']],
    ['deviations query -o ', sorted(FORMATS)],
    ['deviations query --sess', ['--session']],
    ['deviations query --colo', ['--color']],
    ['deviations query --color ', ['always', 'auto', 'never']],
    ['deviations sink --log-level w', ['warn']],
    ['deviations completion ', sorted(SHELLS)],
    ['deviations schema lock --r', ['--rn']],
  ])('offers for %j what the program takes there', async (line, words) => {
    expect(await offered(shell, line.split(' '))).toEqual(words);
  });

  testIt('offers nothing for a free value', async () => {
    expect(await offered(shell, ['deviations', 'query', '--session', ''])).toEqual([]);
  });
});

const testBash = isHere('bash') ? test : test.skip;

testBash('bash completes the next word of a list, and a value behind an equals sign', async () => {
  const { stdout } = await promisify(execFile)('bash', ['-c', ASK.bash(['deviations', 'query', '--tipo', 'laco,rep'])]);
  expect(stdout).toBe('laco,reparo_pelo_usuario\n');
  expect(await offered('bash', ['deviations', 'query', '--tipo', '=', 'l'])).toEqual(['laco']);
});

testBash('bash completes the name of a file where a flag takes one', async () => {
  const file = scriptFile('fish');
  expect(await offered('bash', ['deviations', 'query', '--database-ca-file', file.slice(0, -2)])).toEqual([file]);
});

test('an unknown shell is a usage error that suggests a near miss', async () => {
  const ran = await runCli(['completion', 'fisch']);
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ran.stderr).toContain('Give one of bash, zsh, fish. (Did you mean fish?)');
});
