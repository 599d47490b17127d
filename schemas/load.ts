/** Reads the texts of the tree this program file stands in, whatever the working directory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_TYPES, type EventType } from './event-types.ts';
import type { SchemaText } from './govern/lint.ts';
import { type Contract, readGovernance } from './govern/lock.ts';

/** The .avsc file's text, as it is: what is registered is the file's text, never a re-serialised form of it. */
export const loadSchemaText = (type: EventType): string =>
  readFileSync(join(import.meta.dirname, `${type}.avsc`), 'utf8');

export const loadSchemaTexts = (): readonly (SchemaText & { readonly type: EventType })[] =>
  EVENT_TYPES.map((type) => ({ type, text: loadSchemaText(type) }));

/** Every text of the type that was ever published, the oldest first. */
export const publishedTexts = (type: EventType): readonly string[] =>
  (readGovernance().lock[type] ?? []).map(({ text }) => text);

export const loadContract = (): Contract => ({ texts: loadSchemaTexts(), governance: readGovernance() });
