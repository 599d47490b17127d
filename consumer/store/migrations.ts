/** The numbered migrations of a folder; each adapter has its own. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Migration {
  readonly version: number;
  readonly file: string;
  readonly sql: string;
}

/** By number. */
export const migrationsIn = (folder: string): readonly Migration[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ version: Number.parseInt(file, 10), file, sql: readFileSync(join(folder, file), 'utf8') }));

/** The version that all of them lead to. */
export const wantedVersion = (migrations: readonly Migration[]): number =>
  Math.max(...migrations.map(({ version }) => version));

/** Where a database stands, and where this program wants it; 0 without any table. */
export interface Versions {
  readonly has: number;
  readonly wants: number;
}
