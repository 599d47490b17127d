import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { atMost, backoffMs, jittered, within } from '../../../wire/index.ts';
import { TREE } from '../../support/source-files.ts';

const never = new Promise<string>(() => {});

describe('a limit', () => {
  test('gives the answer of the work that is done in time, or its error', async () => {
    expect(await within(60_000, Promise.resolve('done'), () => 'late')).toBe('done');
    await expect(within(60_000, Promise.reject(new Error('failed')), () => 'late')).rejects.toThrow('failed');
  });

  test('gives what stands in for the answer once it is over, and what that throws', async () => {
    expect(await within(1, never, () => 'late')).toBe('late');
    const giveUp = (): string => {
      throw new Error('over');
    };
    await expect(within(1, never, giveUp)).rejects.toThrow('over');
  });

  test('keeps no process alive, and a late error ends none', async () => {
    const program = `
      const { within } = await import(${JSON.stringify(join(TREE, 'wire', 'limit.ts'))});
      await within(600_000, Promise.resolve(), () => {});
      let fail;
      const late = new Promise((_, reject) => { fail = reject; });
      const answer = await within(1, late, () => 'late');
      fail(new Error('nobody listens any more'));
      await new Promise((resolve) => setImmediate(resolve));
      console.log(answer);
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    expect(stdout.trim()).toBe('late');
  });
});

describe('a wait before the next attempt', () => {
  test('grows to its cap and is spread between half and one and a half of its mean', () => {
    for (let attempt = 0; attempt < 60; attempt += 1) {
      const mean = Math.min(10_000, 200 * 2 ** attempt);
      const waitMs = backoffMs(attempt, 200, 10_000);
      expect(waitMs).toBeGreaterThanOrEqual(Math.floor(mean / 2));
      expect(waitMs).toBeLessThanOrEqual(Math.ceil(mean * 1.5));
    }
    expect(new Set(Array.from({ length: 100 }, () => jittered(1_000_000))).size).toBeGreaterThan(1);
  });
});

describe('a line', () => {
  test('lets so many works in at once, the next in order when one is over, and a failure gives its place too', async () => {
    const gates = Array.from({ length: 4 }, () => Promise.withResolvers<string>());
    const begun: number[] = [];
    const inTurn = atMost(2);
    const works = gates.map(({ promise }, index) =>
      inTurn(() => {
        begun.push(index);
        return promise;
      }),
    );
    const soon = () => new Promise((resolve) => setImmediate(resolve));
    await soon();
    expect(begun).toEqual([0, 1]);
    gates[1]?.reject(new Error('failed'));
    await expect(works[1]).rejects.toThrow('failed');
    await soon();
    expect(begun).toEqual([0, 1, 2]);
    gates[0]?.resolve('a');
    gates[2]?.resolve('c');
    gates[3]?.resolve('d');
    expect(await Promise.all([works[0], works[2], works[3]])).toEqual(['a', 'c', 'd']);
    expect(await inTurn(() => Promise.resolve('e'))).toBe('e');
  });
});
