import { describe, expect, test } from '@jest/globals';
import { AGENT_DEVIATION, loadSchemaText } from '../../../schemas/index.ts';
import { createSchemaLookup, type SchemaId, schemaId, StreamError } from '../../../wire/index.ts';
import { DEFAULT_LOOKUP_POLICY, type LookupPolicy } from '../../../wire/schema-lookup.ts';
import type { SchemaAnswer } from '../../../wire/registry.ts';

const TEXT = loadSchemaText(AGENT_DEVIATION);
const OURS: SchemaAnswer = { known: true, text: TEXT };
const NOWHERE: SchemaAnswer = { known: false };
const OUTAGE = new StreamError('REGISTRY_UNREACHABLE', 'a test', 'Wait');

/** No test waits for the real grace period. */
const QUICK: LookupPolicy = { asks: 3, graceMs: 2, unknownForMs: 600_000, maxIds: 100 };

/** A registry that gives these answers one after the other, then the last one for ever. */
const registryThat = (...answers: readonly (SchemaAnswer | Error)[]) => {
  const asked: SchemaId[] = [];
  return {
    asked,
    schemaById: (id: SchemaId): Promise<SchemaAnswer> => {
      const answer = answers[Math.min(asked.length, answers.length - 1)];
      asked.push(id);
      return answer === undefined || answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  };
};

const ID = schemaId(7);

describe('a look-up of schema ids', () => {
  test('asks by default 3 times within 10 seconds, as the design says', () => {
    expect(DEFAULT_LOOKUP_POLICY).toMatchObject({ asks: 3, graceMs: 10_000 });
  });

  test('asks once for an id that a thousand records bring at the same time', async () => {
    const registry = registryThat(OURS);
    const lookup = createSchemaLookup(registry, QUICK);
    const contracts = await Promise.all(Array.from({ length: 1_000 }, () => lookup.contractOf(ID)));
    expect(registry.asked).toEqual([ID]);
    expect(new Set(contracts).size).toBe(1);
    expect(contracts[0]).toMatchObject({ kind: 'ours', type: AGENT_DEVIATION });
  });

  test('remembers what it found', async () => {
    const registry = registryThat(OURS);
    const lookup = createSchemaLookup(registry, QUICK);
    expect(lookup.cached(ID)).toBeUndefined();
    const found = await lookup.contractOf(ID);
    expect(lookup.cached(ID)).toBe(found);
    expect(await lookup.contractOf(ID)).toBe(found);
    expect(registry.asked).toHaveLength(1);
  });

  test('finds a schema that a lagging node did not know twice', async () => {
    const registry = registryThat(NOWHERE, NOWHERE, OURS);
    expect(await createSchemaLookup(registry, QUICK).contractOf(ID)).toMatchObject({ kind: 'ours' });
    expect(registry.asked).toHaveLength(3);
  });

  test('asks for an unknown id 3 times at most, and then not again for a while', async () => {
    const registry = registryThat(NOWHERE);
    const lookup = createSchemaLookup(registry, QUICK);
    for (let record = 0; record < 1_000; record += 1) {
      expect(await lookup.contractOf(ID)).toEqual({ kind: 'unknown-id' });
    }
    expect(lookup.cached(ID)).toEqual({ kind: 'unknown-id' });
    expect(registry.asked).toHaveLength(3);
  });

  test('asks again for an unknown id once that while is over', async () => {
    const registry = registryThat(NOWHERE, NOWHERE, NOWHERE, OURS);
    const lookup = createSchemaLookup(registry, { ...QUICK, unknownForMs: 0 });
    expect(await lookup.contractOf(ID)).toEqual({ kind: 'unknown-id' });
    expect(await lookup.contractOf(ID)).toMatchObject({ kind: 'ours' });
  });

  test('rejects on an outage, to each that waits, and remembers nothing of it', async () => {
    const registry = registryThat(OUTAGE, OURS);
    const lookup = createSchemaLookup(registry, QUICK);
    const [first, second] = await Promise.allSettled([lookup.contractOf(ID), lookup.contractOf(ID)]);
    expect([first, second]).toEqual([
      { status: 'rejected', reason: OUTAGE },
      { status: 'rejected', reason: OUTAGE },
    ]);
    expect(lookup.cached(ID)).toBeUndefined();
    expect(await lookup.contractOf(ID)).toMatchObject({ kind: 'ours' });
    expect(registry.asked).toHaveLength(2);
  });

  test('takes an outage between two not-founds for an outage, and not for an unknown id', async () => {
    const lookup = createSchemaLookup(registryThat(NOWHERE, OUTAGE, OURS), QUICK);
    await expect(lookup.contractOf(ID)).rejects.toBe(OUTAGE);
    expect(await lookup.contractOf(ID)).toMatchObject({ kind: 'ours' });
  });

  test.each([
    ['known', OURS],
    ['invented', NOWHERE],
  ])('keeps no more than its bound of %s ids', async (_, answer) => {
    const lookup = createSchemaLookup(registryThat(answer), { ...QUICK, asks: 1, maxIds: 3 });
    const flood = Array.from({ length: 50 }, (__, index) => schemaId(index + 1));
    for (const id of flood) await lookup.contractOf(id);
    expect(flood.filter((id) => lookup.cached(id) !== undefined)).toEqual([48, 49, 50]);
  });
});
