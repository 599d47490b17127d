/** Everything of a scene on the stack that somebody can read afterwards: the topic, the files, the listings. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FORMATS } from '../../cli/output/format.ts';
import { type ForeignRecord, readTopic } from './foreign-reader.ts';
import type { Haystack } from './canary.ts';
import type { Ended } from './processes.ts';
import type { Scene } from './stack-scene.ts';

export interface Surface {
  readonly name: string;
  readonly text: Haystack;
}

export const recordsAsText = (records: readonly ForeignRecord[]): readonly Surface[] => [
  { name: 'record keys', text: records.map(({ key }) => key ?? '').join('\n') },
  { name: 'record headers', text: records.map(({ headers }) => JSON.stringify(headers)).join('\n') },
  { name: 'record values', text: Buffer.concat(records.map(({ value }) => value ?? Buffer.alloc(0))) },
];

export const topicOf = async (scene: Scene): Promise<readonly Surface[]> => recordsAsText(await readTopic(scene.topic));

/** Every value of every table and view, as text; bytes as one character each. What a virtual one keeps lies in tables too. */
export const tablesOf = (file: string): string => {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    const names = database
      .prepare(
        `select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%'
          and sql not like 'create virtual table%'`,
      )
      .all()
      .map(({ name }) => String(name));
    return names
      .flatMap((name) =>
        database
          .prepare(`select * from "${name}"`)
          .all()
          .map((row) =>
            Object.values(row)
              .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)))
              .join('\t'),
          ),
      )
      .join('\n');
  } finally {
    database.close();
  }
};

/** The bytes of every file of the folder, whatever SQLite left in them: pages it freed, its write-ahead log. */
export const filesOf = (folder: string): readonly Surface[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    // SQLite may drop a side file between the look and the read.
    .filter((file) => existsSync(file) && statSync(file).isFile())
    .map((file) => ({ name: `file ${file.slice(folder.length + 1)}`, text: readFileSync(file) }));

/** They look at everything, and end with what they find. */
const CHECKUPS = ['status', 'doctor'] as const;
const LISTINGS = [
  ...CHECKUPS.map((word) => [word]),
  ['query'],
  ['outbox', 'list'],
  ['position', 'show'],
  ['topic', 'show'],
];

/** What the tools print, in every format. */
export const listingsOf = async (
  run: (args: readonly string[]) => Promise<Ended>,
  listings: readonly (readonly string[])[] = LISTINGS,
): Promise<readonly Surface[]> => {
  const surfaces: Surface[] = [];
  for (const listing of listings) {
    for (const format of FORMATS) {
      const args = [...listing, '-o', format];
      const { code, stdout, stderr } = await run(args);
      const isCheckup = CHECKUPS.some((word) => word === listing[0]);
      if (code !== 0 && !(isCheckup && [3, 4, 5].includes(code ?? 0)))
        throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
      surfaces.push({ name: listing.join(' '), text: stdout + stderr });
    }
  }
  return surfaces;
};
