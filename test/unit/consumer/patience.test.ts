import { describe, expect, test } from '@jest/globals';
import { patiently } from '../../../consumer/look/patience.ts';
import { type ErrorCode, StreamError } from '../../../wire/index.ts';

/** Fails with each of these in turn, then answers. */
const failing = (...codes: readonly ErrorCode[]) => {
  let calls = 0;
  return {
    calls: () => calls,
    work: (): Promise<string> => {
      const code = codes[calls];
      calls += 1;
      return code === undefined
        ? Promise.resolve('answered')
        : Promise.reject(new StreamError(code, 'somewhere', 'next'));
    },
  };
};

const waiting = (more: Partial<Parameters<typeof patiently>[1]> = {}) => {
  const said: string[] = [];
  const patience = {
    pace: { patienceMs: 1_000, waitMs: 20 },
    signal: new AbortController().signal,
    isEndless: false,
    onWait: (code: string) => said.push(code),
  };
  return { said, patience: { ...patience, ...more } };
};

describe('a tool that waits', () => {
  test('says once what it waits for, and takes the answer when it comes', async () => {
    const { said, patience } = waiting();
    const { work, calls } = failing('BROKER_UNREACHABLE', 'BROKER_UNREACHABLE');
    expect(await patiently(work, patience)).toBe('answered');
    expect({ said, calls: calls() }).toEqual({ said: ['BROKER_UNREACHABLE'], calls: 3 });
  });

  test.each<ErrorCode>(['TOPIC_MISSING', 'BROKER_REFUSED', 'DATABASE_NOT_MIGRATED', 'CONFIG_INVALID'])(
    'does not wait for what no waiting mends: %s',
    async (code) => {
      const { said, patience } = waiting();
      const { work, calls } = failing(code);
      await expect(patiently(work, patience)).rejects.toMatchObject({ code });
      expect({ said, calls: calls() }).toEqual({ said: [], calls: 1 });
    },
  );

  test('gives up once its patience is over, with what was in the way', async () => {
    const { patience } = waiting({ pace: { patienceMs: 30, waitMs: 20 } });
    const { work, calls } = failing('REGISTRY_UNREACHABLE', 'REGISTRY_UNREACHABLE', 'REGISTRY_UNREACHABLE');
    await expect(patiently(work, patience)).rejects.toMatchObject({ code: 'REGISTRY_UNREACHABLE' });
    expect(calls()).toBe(2);
  });

  test('waits for whatever fails outside when it follows', async () => {
    const { said, patience } = waiting({ isEndless: true, pace: { patienceMs: 0, waitMs: 20 } });
    expect(await patiently(failing('REGISTRY_REFUSED').work, patience)).toBe('answered');
    expect(said).toEqual(['REGISTRY_REFUSED']);
  });

  test('is over at once when it is stopped, also while nobody answers', async () => {
    const stop = new AbortController();
    const { patience } = waiting({ signal: stop.signal });
    const never = patiently(() => new Promise<string>(() => {}), patience);
    stop.abort();
    expect(await never).toBeUndefined();
    expect(await patiently(failing().work, patience)).toBeUndefined();
  });
});
