import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { filesUnder, type Import, importsOf, specifiersIn, TREE } from '../support/source-files.ts';

/** Who may look where (design section 6). Nobody looks at `stack`, `bench` or `test` but the program file's `demo`. */
const MAY_LOOK_INTO = {
  schemas: [],
  wire: ['schemas'],
  producer: ['wire', 'schemas'],
  consumer: ['wire', 'schemas'],
  cli: ['producer', 'consumer', 'wire', 'schemas'],
  bin: ['cli', 'stack'],
  docs: ['cli', 'schemas'],
  stack: ['cli', 'producer', 'consumer', 'wire', 'schemas'],
  bench: ['stack', 'cli', 'producer', 'consumer', 'wire', 'schemas'],
} as const satisfies Record<string, readonly string[]>;

type Room = keyof typeof MAY_LOOK_INTO;
const ROOMS = Object.keys(MAY_LOOK_INTO) as readonly Room[]; // its own keys, by the type above

/** Beside each room's `index.ts`: without these, asking for help would load the Kafka client. */
const SIDE_DOORS: Readonly<Record<string, readonly string[]>> = {
  'wire/errors.ts': ['cli', 'stack'],
  // The words of flags, without loading the Kafka client for a line of help.
  'wire/log.ts': ['cli'],
  'wire/names.ts': ['cli'],
  'wire/reasons.ts': ['cli'],
  // The closed lists and the grammar of flags, without the governance of the schemas.
  'schemas/agent-deviation.ts': ['cli'],
  'schemas/ids.ts': ['cli'],
  'schemas/govern/rn.ts': ['cli'],
  'cli/start.ts': ['bin'],
  // The page about the commands is made of the command table.
  'cli/documented.ts': ['docs'],
};

const roomOf = (file: string): string => file.split('/')[0] ?? '';

const WALK: readonly Import[] = ROOMS.flatMap(filesUnder).flatMap(importsOf);
const BETWEEN_FILES = WALK.filter(({ isFile }) => isFile);
const BETWEEN_ROOMS = BETWEEN_FILES.filter(({ from, to }) => roomOf(from) !== roomOf(to));

const shown = ({ from, to }: Import): string => `${from} → ${to}`;

describe('the walk over the imports', () => {
  test('knows every form of an import', () => {
    const text = [
      "import a from 'node:a';",
      "import type { B } from 'node:b';",
      "import {\n  c,\n  type D,\n} from 'node:c';",
      "import './d.ts';",
      "export { e } from './e.ts';",
      "export * as f from './f.ts';",
      "const g = await import('node:g');",
      "type H = import('node:h').H;",
      "const i = require('node:i');",
      "new Worker(new URL('./l.ts', import.meta.url));",
      "// import j from 'node:j';",
      "/** import k from 'node:k'; */",
    ].join('\n');
    expect([...specifiersIn(text)].sort()).toEqual([
      './d.ts',
      './e.ts',
      './f.ts',
      './l.ts',
      'node:a',
      'node:b',
      'node:c',
      'node:g',
      'node:h',
      'node:i',
    ]);
  });

  test('sees imports in every room that is there, and each leads to a file', () => {
    const silent = ROOMS.filter(
      (room) => filesUnder(room).length > 0 && !WALK.some(({ from }) => roomOf(from) === room),
    );
    expect(silent).toEqual([]);
    expect(BETWEEN_FILES.filter(({ to }) => !existsSync(join(TREE, to))).map(shown)).toEqual([]);
  });
});

describe('rooms', () => {
  test.each(ROOMS)('%s looks only where it may', (room) => {
    const allowed: readonly string[] = MAY_LOOK_INTO[room];
    const strays = BETWEEN_ROOMS.filter(({ from, to }) => roomOf(from) === room && !allowed.includes(roomOf(to)));
    expect(strays.map(shown)).toEqual([]);
  });

  test('are entered through their door alone', () => {
    const strays = BETWEEN_ROOMS.filter(
      ({ from, to }) => to !== `${roomOf(to)}/index.ts` && !SIDE_DOORS[to]?.includes(roomOf(from)),
    );
    expect(strays.map(shown)).toEqual([]);
  });

  test('use every side door that is granted to them', () => {
    const used = Object.keys(SIDE_DOORS).filter((door) => BETWEEN_ROOMS.some(({ to }) => to === door));
    expect(used).toEqual(Object.keys(SIDE_DOORS));
  });

  test('are all in the table', () => {
    const folders = readdirSync(TREE, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
      .map(({ name }) => name);
    const known: readonly string[] = [...ROOMS, 'test'];
    expect(folders.filter((room) => filesUnder(room).length > 0 && !known.includes(room))).toEqual([]);
  });
});

describe('files', () => {
  test('never import each other in a circle', () => {
    const next = new Map<string, string[]>();
    for (const { from, to } of BETWEEN_FILES) next.set(from, [...(next.get(from) ?? []), to]);
    const circles: string[] = [];
    const done = new Set<string>();
    const visit = (file: string, path: readonly string[]): void => {
      const seenAt = path.indexOf(file);
      if (seenAt >= 0) circles.push([...path.slice(seenAt), file].join(' → '));
      if (seenAt >= 0 || done.has(file)) return;
      for (const to of next.get(file) ?? []) visit(to, [...path, file]);
      done.add(file);
    };
    for (const file of next.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });
});
