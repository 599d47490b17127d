import { expect, test } from '@jest/globals';
import { chooseKind, type Finding, type Probes } from '../../../stack/choose.ts';
import type { StackKind } from '../../../stack/index.ts';

const SERVERS = { KAFKA_BROKERS: 'broker:9092', SCHEMA_REGISTRY_URL: 'http://registry/' };
const YES: Finding = { works: true, because: 'it is here' };
const NO: Finding = { works: false, because: 'it is not here' };

/** Probes that find what they are told to find and remember who was asked. */
const probes = (docker: Finding, local: Finding): Probes & { readonly asked: StackKind[] } => {
  const asked: StackKind[] = [];
  return {
    asked,
    docker: async () => {
      asked.push('docker');
      return docker;
    },
    local: async () => {
      asked.push('local');
      return local;
    },
  };
};

test('servers that are named are used, and nothing else is looked for', async () => {
  const looks = probes(YES, YES);
  expect(await chooseKind(SERVERS, looks)).toEqual({
    kind: 'given',
    because: 'KAFKA_BROKERS and SCHEMA_REGISTRY_URL are set',
  });
  expect(looks.asked).toEqual([]);
});

test('Docker comes before local processes, and the reason says why the servers named are not enough', async () => {
  const looks = probes(YES, YES);
  expect(await chooseKind({ KAFKA_BROKERS: 'broker:9092', SCHEMA_REGISTRY_URL: '' }, looks)).toEqual({
    kind: 'docker',
    because: 'it is here; given is out, SCHEMA_REGISTRY_URL is not set',
  });
  expect(looks.asked).toEqual(['docker']);
});

test('local processes come last', async () => {
  expect(await chooseKind({}, probes(NO, YES))).toEqual({
    kind: 'local',
    because:
      'it is here; given is out, KAFKA_BROKERS and SCHEMA_REGISTRY_URL are not set; docker is out, it is not here',
  });
});

test.each(['given', 'docker', 'local'] as const)('SESSION_STACK=%s looks at no other way', async (kind) => {
  const looks = probes(YES, YES);
  expect((await chooseKind({ ...SERVERS, SESSION_STACK: kind }, looks)).kind).toBe(kind);
  expect(looks.asked).toEqual(kind === 'given' ? [] : [kind]);
});

test.each(['docker', 'local'] as const)('SESSION_STACK=%s falls through to no other way', async (kind) => {
  const looks = probes(NO, NO);
  await expect(chooseKind({ ...SERVERS, SESSION_STACK: kind }, looks)).rejects.toMatchObject({
    code: 'STACK_UNAVAILABLE',
    where: `${kind} is out, it is not here`,
  });
  expect(looks.asked).toEqual([kind]);
});

test('SESSION_STACK=given without the servers names the settings that are missing', async () => {
  await expect(chooseKind({ SESSION_STACK: 'given' }, probes(YES, YES))).rejects.toMatchObject({
    code: 'CONFIG_MISSING',
    where: 'KAFKA_BROKERS and SCHEMA_REGISTRY_URL are not set',
  });
});

test('another word in SESSION_STACK is refused by naming the three, not the word', async () => {
  const refusal = chooseKind({ SESSION_STACK: 'podman' }, probes(YES, YES));
  await expect(refusal).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    next: expect.stringContaining('given, docker, local'),
  });
  await expect(refusal).rejects.not.toThrow('podman');
});

test('with none of the three, one message says what is missing and how to get one of them', async () => {
  const refusal = chooseKind({}, probes(NO, { works: false, because: 'no Java' }));
  await expect(refusal).rejects.toMatchObject({
    code: 'STACK_UNAVAILABLE',
    exitCode: 4,
    where:
      'given is out, KAFKA_BROKERS and SCHEMA_REGISTRY_URL are not set; docker is out, it is not here; local is out, no Java',
    next: expect.stringMatching(/KAFKA_BROKERS.+Docker.+Java 17.+Maven/),
  });
});
