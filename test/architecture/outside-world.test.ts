import { describe, expect, test } from '@jest/globals';
import { filesUnder, importsOf, packageOf, textOf, withoutComments } from '../support/source-files.ts';

const PRODUCT = ['schemas', 'wire', 'producer', 'consumer', 'cli', 'bin'] as const;
const PRODUCT_FILES = PRODUCT.flatMap(filesUnder);
/** A package of its own, with its own package.json. */
const OWN_PACKAGE = 'test/sdk/';
const ALL_FILES = [...PRODUCT_FILES, ...['stack', 'bench', 'test'].flatMap(filesUnder)].filter(
  (file) => !file.startsWith(OWN_PACKAGE),
);

const readers = (pattern: RegExp): readonly string[] =>
  PRODUCT_FILES.filter((file) => pattern.test(withoutComments(textOf(file))));

/** Who else may look at the environment, and why. */
const OTHER_LOOKERS: Readonly<Record<string, string>> = {
  'cli/commands/demo.ts': 'shows the environment that it made itself',
  'cli/output/paint.ts': 'NO_COLOR and TERM are the words of the terminal, no settings of ours',
};

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(textOf('package.json')) as Manifest; // our own file
const isPackage = (specifier: string): boolean => !specifier.startsWith('node:');

/** Where a package may be known: it can be replaced there without anybody else noticing. */
const KNOWN_ONLY_IN: Readonly<Record<string, readonly string[]>> = {
  kafkajs: ['wire/kafka/'],
  avsc: ['wire/avro/', 'wire/codec.ts'],
  '@kafkajs/confluent-schema-registry': ['wire/registry.ts'],
  uuid: ['producer/event-id.ts'],
  '@modelcontextprotocol/sdk': ['producer/tool/'],
  commander: ['cli/'],
  pino: ['cli/log.ts'],
  'string-width': ['cli/output/'],
  'node:sqlite': ['wire/sqlite/', 'consumer/store/sqlite/', 'producer/outbox/', 'stack/local/'],
  testcontainers: ['stack/docker/'],
};

describe('packages', () => {
  test.each(Object.keys(KNOWN_ONLY_IN))('%s is known in one place', (name) => {
    const places = KNOWN_ONLY_IN[name] ?? [];
    const users = [...PRODUCT_FILES, ...filesUnder('stack')].filter((file) =>
      importsOf(file).some(({ to, isFile }) => !isFile && packageOf(to) === name),
    );
    expect(users.length).toBeGreaterThan(0);
    expect(users.filter((file) => !places.some((place) => file.startsWith(place)))).toEqual([]);
  });

  test('that the program imports are in its dependencies, so that an installation without the tools can run', () => {
    const known = { ...manifest.dependencies, ...manifest.peerDependencies };
    const missing = PRODUCT_FILES.flatMap(importsOf).filter(
      ({ to, isFile }) => !isFile && isPackage(to) && !(packageOf(to) in known),
    );
    expect(missing).toEqual([]);
  });

  test('that anything imports are in package.json', () => {
    const known = { ...manifest.dependencies, ...manifest.devDependencies };
    const missing = ALL_FILES.flatMap(importsOf).filter(
      ({ to, isFile }) => !isFile && isPackage(to) && !(packageOf(to) in known),
    );
    expect(missing).toEqual([]);
  });
});

describe('the process', () => {
  test('tells its environment and its arguments to the start and to the program file alone', () => {
    expect(
      readers(/\bprocess\s*(?:\.|\[\s*['"])(?:env|argv)\b|\{[^{}]*\b(?:env|argv)\b[^{}]*\}\s*=\s*process\b/),
    ).toEqual(['cli/start.ts', 'bin/deviations.js']);
    expect(readers(/from 'node:process'|import\('node:process'\)/)).toEqual([]);
  });

  test('is ended by the start and the program file alone', () => {
    expect(readers(/\bprocess\.(?:(?:exit|abort)\s*\(|exitCode\s*=)/)).toEqual(['cli/start.ts', 'bin/deviations.js']);
  });

  test('is written to by the command line alone', () => {
    const writers = readers(/\bconsole\.|\bprocess\.(?:stdout|stderr)\b/);
    expect(writers.filter((file) => !/^(cli|bin)\//.test(file))).toEqual([]);
  });

  test('gives its settings to nobody but the configuration', () => {
    const lookers = readers(/\benv\s*(?:\.\s*[A-Z]|\[)/);
    expect(lookers).toContain('cli/config.ts');
    expect(lookers.filter((file) => file !== 'cli/config.ts' && !(file in OTHER_LOOKERS))).toEqual([]);
    expect(Object.keys(OTHER_LOOKERS).filter((file) => !lookers.includes(file))).toEqual([]);
  });
});
