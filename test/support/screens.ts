/**
 * Golden screens: what a command shows on terminals of three widths, with and without colour, in one file a command
 * under test/screens/. `UPDATE_SCREENS=1 npm test -- …` writes them anew; read the difference before you commit it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { widthOf } from '../../cli/output/text-width.ts';
import { REPOSITORY } from './processes.ts';
import type { Ran } from './run-cli.ts';

const FOLDER = join(REPOSITORY, 'test', 'screens');
const WIDTHS = [40, 80, 160] as const;

/** Runs the command on a terminal this wide, with these global flags beside its own. */
type RunOnScreen = (flags: readonly string[], columns: number) => Promise<Ran>;

interface ScreenOptions {
  /** Puts constants where a run has times, addresses and the like. Widths are checked before it. */
  readonly mask?: (text: string) => string;
}

const linesOf = (text: string): readonly string[] => text.split('\n');

const overlong = (text: string, columns: number): readonly string[] =>
  linesOf(stripVTControlCharacters(text)).filter((line) => widthOf(line) > columns);

/** One line a screen: its tests, and its file `test/screens/NAME.txt`. */
export const goldenScreens = (name: string, run: RunOnScreen, { mask = (text) => text }: ScreenOptions = {}): void => {
  describe(`the screens of ${name}`, () => {
    test('fit their terminal, mean the same without colour, and are the golden ones', async () => {
      const sections: string[] = [];
      for (const columns of WIDTHS) {
        const plain = await run(['--color', 'never'], columns);
        const coloured = await run(['--color', 'always'], columns);
        expect({ columns, overlong: overlong(plain.stdout, columns) }).toEqual({ columns, overlong: [] });
        expect(plain.stdout).not.toContain('\u001b');
        expect(mask(stripVTControlCharacters(coloured.stdout))).toBe(mask(plain.stdout));
        for (const [what, ran] of [
          ['', plain],
          [', colour', coloured],
        ] as const) {
          const text = mask(ran.stdout).replaceAll('\u001b', '\u241b').replace(/\n$/, '');
          sections.push(`=== ${columns} columns${what}, exit ${ran.exitCode}\n${text}\n`);
        }
      }
      const file = join(FOLDER, `${name}.txt`);
      const shown = sections.join('\n');
      if (process.env.UPDATE_SCREENS === '1') writeFileSync(file, shown);
      expect(shown).toBe(readFileSync(file, 'utf8'));
    });

    test('are drawn with ASCII alone when that is asked for', async () => {
      const { stdout } = await run(['--color', 'never', '--ascii'], 80);
      expect(linesOf(stdout).filter((line) => !/^[\x20-\x7e]*$/.test(line))).toEqual([]);
      expect(overlong(stdout, 80)).toEqual([]);
    });
  });
};
