import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  createHandler,
  createProducer,
  REFUSAL_CODES,
  reportPolicy,
  type ReportContext,
} from '../../../producer/index.ts';
import { AGENTES, aContext, anInput, uuidNo, uuids } from '../../support/builders.ts';
import { memoryRecorder } from '../../support/memory-recorder.ts';

const policy = reportPolicy({ agents: AGENTES });

const open = () => {
  const recorder = memoryRecorder();
  return { recorder, handler: createHandler(createProducer(policy, recorder)) };
};

const answerTo = (input: unknown, context: unknown = aContext()) => open().handler(context as ReportContext, input); // may be anything

/** An object each of whose traps counts; `target` is what it stands for. */
const counting = <T extends object>(target: T): { readonly proxy: T; readonly calls: Map<string, number> } => {
  const calls = new Map<string, number>();
  const count = (name: string): void => void calls.set(name, (calls.get(name) ?? 0) + 1);
  const proxy = new Proxy(target, {
    get: (of, key, receiver) => {
      count(`get ${String(key)}`);
      return Reflect.get(of, key, receiver) as unknown;
    },
    getOwnPropertyDescriptor: (of, key) => {
      count(`describe ${String(key)}`);
      return Reflect.getOwnPropertyDescriptor(of, key);
    },
    ownKeys: (of) => {
      count('keys');
      return Reflect.ownKeys(of);
    },
  });
  return { proxy, calls };
};

const explosive = (): never => {
  throw new Error('about Zulmira');
};

/** Each trap throws. */
const mine = <T extends object>(target: T): T =>
  new Proxy(target, {
    get: explosive,
    has: explosive,
    ownKeys: explosive,
    getPrototypeOf: explosive,
    getOwnPropertyDescriptor: explosive,
  });

describe('the code of a caller', () => {
  test('in a getter is never run', async () => {
    let runs = 0;
    const input: object = Object.defineProperty(anInput(), 'tipo', {
      enumerable: true,
      get: () => {
        runs += 1;
        return 'laco';
      },
    });
    expect(await answerTo(input)).toMatchObject({ code: 'TIPO_UNKNOWN' });
    expect(runs).toBe(0);
  });

  test('in toJSON, toString or valueOf is never run', async () => {
    const input = { ...anInput(), toJSON: explosive, toString: explosive, valueOf: explosive };
    expect(await answerTo(input)).toMatchObject({ recorded: true, discardedFields: 3 });
    expect(await answerTo(anInput({ agente: { toString: explosive } }))).toMatchObject({ code: 'AGENTE_UNKNOWN' });
    const item = { toString: explosive, toJSON: explosive };
    expect(await answerTo(anInput({ evidenceEventIds: [item] }))).toMatchObject({ evidence: { malformed: 1 } });
  });

  test('in a proxy is asked once for each field, so that it cannot answer differently later', async () => {
    const { proxy, calls } = counting(anInput());
    expect(await answerTo(proxy)).toMatchObject({ recorded: true });
    expect([...calls].filter(([, count]) => count > 1)).toEqual([]);
  });

  test('in a list of evidence is asked once for its length and for each item', async () => {
    const { proxy, calls } = counting([...uuids(3)]);
    expect(await answerTo(anInput({ evidenceEventIds: proxy }))).toMatchObject({ evidence: { kept: 3 } });
    expect([...calls].filter(([, count]) => count > 1)).toEqual([]);
  });

  test('in a list that is short at first and endless later cannot make it longer', async () => {
    let asked = 0;
    const list = new Proxy([uuidNo(1)], {
      get: (of, key) => {
        if (key !== 'length') return Reflect.get(of, key) as unknown;
        asked += 1;
        return asked === 1 ? 1 : 4_000_000_000;
      },
    });
    expect(await answerTo(anInput({ evidenceEventIds: list }))).toMatchObject({ evidence: { kept: 1 } });
  });

  test('in a list that is too long at first and explodes later has no second say', async () => {
    let asked = 0;
    const list = new Proxy([uuidNo(1)], {
      get: (of, key) => {
        if (key !== 'length') return Reflect.get(of, key) as unknown;
        asked += 1;
        return asked === 1 ? 1_001 : explosive();
      },
    });
    expect(await answerTo(anInput({ evidenceEventIds: list }))).toMatchObject({ code: 'EVIDENCE_TOO_LONG' });
  });

  test('in a list of thousands of millions is not copied to be refused', async () => {
    const evidenceEventIds: unknown[] = [];
    evidenceEventIds.length = 4_000_000_000;
    expect(await answerTo(anInput({ evidenceEventIds }))).toMatchObject({ code: 'EVIDENCE_TOO_LONG' });
  });

  test('that throws from every trap is answered', async () => {
    expect(await answerTo(mine({}))).toMatchObject({ code: 'INPUT_NOT_AN_OBJECT' });
    expect(await answerTo(anInput({ evidenceEventIds: mine([]) }))).toMatchObject({ recorded: false });
    expect(await answerTo(anInput(), mine({}))).toMatchObject({ code: 'CONTEXT_INVALID' });
    expect(await answerTo(anInput(), aContext({ sessionEventIds: mine([]) }))).toMatchObject({
      code: 'CONTEXT_INVALID',
    });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(await answerTo(proxy)).toMatchObject({ code: 'INPUT_NOT_AN_OBJECT' });
    expect(await answerTo(anInput(), proxy)).toMatchObject({ code: 'CONTEXT_INVALID' });
    const { proxy: list, revoke: revokeList } = Proxy.revocable([], {});
    revokeList();
    expect(await answerTo(anInput({ evidenceEventIds: list }))).toMatchObject({ recorded: false });
  });
});

describe('extra fields', () => {
  test.each(['constructor', 'toString', 'hasOwnProperty', '__proto__', 'then', 'length', '', 'tipo ', 'Tipo'])(
    'named %p count as one, and change nothing',
    async (name) => {
      const input = Object.defineProperty(anInput(), name, { value: { tipo: 'x' }, enumerable: true });
      const { recorder, handler } = open();
      expect(await handler(aContext(), input)).toMatchObject({ recorded: true, discardedFields: 1 });
      const plain = open();
      await plain.handler(aContext(), anInput());
      expect(recorder.submissions[0]?.body).toEqual(plain.recorder.submissions[0]?.body);
    },
  );

  test('count also when they are deep, hidden, under a symbol or undefined', async () => {
    const input = Object.defineProperty(
      { ...anInput(), a: { b: { c: 1 } }, d: undefined, [Symbol('e')]: 1 },
      'hidden',
      { value: 1, enumerable: false },
    );
    expect(await answerTo(input)).toMatchObject({ discardedFields: 4 });
  });

  test('of a JSON text with __proto__ in it are counted and change no prototype', async () => {
    const input: unknown = JSON.parse(
      '{"agente":"desenvolvedor","tipo":"laco","evidenceEventIds":[],"__proto__":{"tipo":"outro"},"constructor":{"prototype":{"x":1}}}',
    );
    expect(await answerTo(input)).toMatchObject({ recorded: true, discardedFields: 2 });
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });
});

describe('sizes', () => {
  const huge = 'a'.repeat(10 * 1024 * 1024);

  test.each<[string, unknown, string]>([
    ['tipo', anInput({ tipo: huge }), 'TIPO_UNKNOWN'],
    ['agente', anInput({ agente: huge }), 'AGENTE_UNKNOWN'],
    ['input', huge, 'INPUT_NOT_AN_OBJECT'],
  ])('of 10 MB as %s are refused', async (_, input, code) => {
    expect(await answerTo(input)).toMatchObject({ recorded: false, code });
  });

  test('of 10 MB in the context, an extra field or an id of evidence are answered', async () => {
    expect(await answerTo(anInput(), aContext({ toolCallId: huge }))).toMatchObject({ code: 'CONTEXT_INVALID' });
    expect(await answerTo(anInput(), aContext({ occurredAt: huge }))).toMatchObject({ code: 'CONTEXT_INVALID' });
    expect(await answerTo(anInput({ [huge]: huge, evidenceEventIds: [huge] }))).toMatchObject({
      discardedFields: 1,
      evidence: { malformed: 1 },
    });
  });
});

describe('the handler', () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withSparseArray: true,
    withTypedArray: true,
    withObjectString: true,
  });
  /** Something right with some of it, though seldom much, replaced by anything. */
  const nearly = <T extends object>(right: T): fc.Arbitrary<unknown> =>
    fc.record(
      Object.fromEntries(
        Object.keys(right).map((key) => [
          key,
          fc.oneof(
            { weight: 9, arbitrary: fc.constant(Reflect.get(right, key) as unknown) },
            { weight: 1, arbitrary: anything },
          ),
        ]),
      ),
    );

  test('never throws, whatever it is given, and its answer is recorded or one of the ten', async () => {
    const { recorder, handler } = open();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(anything, nearly(aContext({ sessionEventIds: uuids(2) }))),
        fc.oneof(anything, nearly(anInput())),
        async (context, input) => {
          const answer = await handler(context as ReportContext, input); // may be anything
          expect(answer.recorded || REFUSAL_CODES.includes(answer.code)).toBe(true);
        },
      ),
      { numRuns: 1_000 },
    );
    expect(recorder.submissions.length).toBeGreaterThan(0);
    expect(recorder.counted.length).toBeGreaterThan(0);
  });
});
