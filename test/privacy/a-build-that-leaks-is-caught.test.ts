import { describe, expect, test } from '@jest/globals';
import { LEAKS } from '../support/canary-leaks.ts';
import { aDeviation } from '../support/builders.ts';
import { RIGHT_BUILD } from '../support/canary-build.ts';
import { reachableText } from '../support/canary-reach.ts';
import { runFuzz } from '../support/canary-run.ts';
import { Tally } from '../support/canary-tally.ts';
import { CORE_DIGITS } from '../support/canary.ts';

/** Few enough to be quick, many enough that every path comes often. */
const CALLS = 500;
const SEED = 7;

describe('a build that leaks on purpose is caught on its surface', () => {
  test.each(LEAKS.map((leak) => [leak.name, leak] as const))('%s', async (_, { build, surface }) => {
    const { hits } = await runFuzz({ calls: CALLS, seed: SEED, build });
    expect([...new Set(hits.map((hit) => hit.surface))]).toContain(surface);
  });
});

test('every surface that is searched has a build that leaks there, and the right build leaks on none', async () => {
  const { searched, hits } = await runFuzz({ calls: CALLS, seed: SEED });
  expect(hits).toEqual([]);
  expect([...searched.keys()].sort()).toEqual([...new Set(LEAKS.map(({ surface }) => surface))].sort());
});

test("an assembler that spreads the model's object is stopped by the encoder, which names no value", async () => {
  const mark = 'Maria 123456789012';
  const said = { agente: mark, tipo: 'laco', nota: mark };
  for (const spread of [
    { ...said, ...aDeviation() },
    { ...aDeviation(), agente: said.agente },
  ]) {
    const error: unknown = await Promise.resolve(spread)
      .then(RIGHT_BUILD.encode)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'EVENT_INVALID' });
    expect(await reachableText(error)).not.toContain('Maria');
  }
});

test('a run whose marks were not planted says so', () => {
  const tally = new Tally();
  const call = { number: 1, core: '1'.repeat(CORE_DIGITS), forms: [], planted: [] };
  tally.plantedIn(
    { ...call, random: { below: () => 0, chance: () => false, pick: ([one]) => one, digits: () => '', hex: () => '' } },
    [],
  );
  expect(tally.missing).toHaveLength(1);
});
