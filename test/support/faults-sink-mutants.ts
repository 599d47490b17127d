/** Builds with one rule of the consumers broken: what is replaced by what in which file, when a sink is started. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { REPOSITORY } from './processes.ts';

interface Edit {
  readonly file: string;
  readonly replace: string;
  readonly by: string;
}

export const MUTANTS = [
  'commits to the group first',
  'has no unique key',
  'starts at the latest',
  'quarantines on any error',
  'writes again what was written',
  'writes under an old epoch',
  'seeks back on holes',
] as const;
export type Mutant = (typeof MUTANTS)[number];

const EDITS: Readonly<Record<Mutant, readonly Edit[]>> = {
  'commits to the group first': [
    {
      file: 'consumer/stream/partition-flow.ts',
      replace: 'const answer = await store.flush(request);',
      by: 'await source.commit(key.partition, slice.next); const answer = await store.flush(request);',
    },
  ],
  'has no unique key': [
    {
      file: 'consumer/store/relied-on.ts',
      replace: 'for (const { table, columns } of UNIQUE_KEYS) {',
      by: 'for (const { table, columns } of UNIQUE_KEYS.slice(1)) {',
    },
    { file: 'consumer/store/postgres/write-deviations.ts', replace: '    on conflict (id) do nothing\n', by: '' },
    { file: 'consumer/store/postgres/flush-at-once.ts', replace: '    on conflict (id) do nothing\n', by: '' },
    { file: 'consumer/store/sqlite/write-rows.ts', replace: '\n    on conflict (id) do nothing', by: '' },
  ],
  'starts at the latest': [
    { file: 'consumer/stream/lost-position.ts', replace: '    return ends.start;', by: '    return ends.end;' },
  ],
  'quarantines on any error': [
    {
      file: 'consumer/stream/partition-flow.ts',
      replace: 'const answer = await store.flush(request);',
      by: `const answer = await store.flush(request).catch(async () => {
        const quarantine = [...request.rows].map((row) => ({ ...row, reason: 'ROW_REFUSED' }));
        return store.flush({ ...request, rows: [], quarantine: [...request.quarantine, ...quarantine] });
      });`,
    },
  ],
  'writes again what was written': [
    {
      file: 'consumer/store/fence.ts',
      replace: `  return position === request.nextOffset ? { kind: 'flushed-before' } : { kind: 'position-moved' };`,
      by: '  return undefined;',
    },
  ],
  'writes under an old epoch': [
    {
      file: 'consumer/store/fence.ts',
      replace: "  if (standing === undefined || standing.epoch !== request.epoch) return { kind: 'epoch-lost' };",
      by: "  if (standing === undefined) return { kind: 'epoch-lost' }; if (standing.epoch !== request.epoch) return undefined;",
    },
  ],
  'seeks back on holes': [
    {
      file: 'consumer/stream/membership.ts',
      replace: '    const { partition, askedFor } = batch;',
      by: '    const { partition } = batch; const askedFor = batch.records[0]?.offset ?? batch.askedFor;',
    },
  ],
};

/** The text of the module as the mutant has it. Throws when the product no longer has what is to be replaced. */
export const mutated = (mutant: Mutant, url: string, source: string): string =>
  EDITS[mutant]
    .filter(({ file }) => pathToFileURL(join(REPOSITORY, file)).href === url)
    .reduce((text, { file, replace, by }) => {
      if (text.split(replace).length !== 2) throw new Error(`${mutant}: ${file} does not have it once`);
      return text.replace(replace, () => by);
    }, source);
