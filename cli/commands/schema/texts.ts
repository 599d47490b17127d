/** The texts a schema command is about: this tree's, or files that were named. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { loadSchemaTexts, type SchemaText } from '../../../schemas/index.ts';
import { StreamError } from '../../../wire/index.ts';

export const readSchemaFile = (file: string): SchemaText => {
  try {
    return { type: basename(file, '.avsc'), text: readFileSync(file, 'utf8') };
  } catch {
    throw new StreamError('CONFIG_INVALID', `the file ${file}`, 'Check its name and its rights');
  }
};

export const textsOf = (files: readonly string[]): readonly SchemaText[] =>
  files.length === 0 ? loadSchemaTexts() : files.map(readSchemaFile);
