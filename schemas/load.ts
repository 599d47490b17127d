/** Reads the texts of the tree this program file stands in, whatever the working directory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventType } from './event-types.ts';

/** The .avsc file's text, as it is: what is registered is the file's text, never a re-serialised form of it. */
export const loadSchemaText = (type: EventType): string =>
  readFileSync(join(import.meta.dirname, `${type}.avsc`), 'utf8');
