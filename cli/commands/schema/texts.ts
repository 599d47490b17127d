/** The texts a schema command is about: this tree's, or files that were named. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import {
  type Change,
  checkLock,
  type Contract,
  diffSchemas,
  type Finding,
  loadContract,
  loadSchemaTexts,
  type SchemaText,
} from '../../../schemas/index.ts';
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

export interface CheckedContract {
  readonly contract: Contract;
  /** Of `schema check`, offline. */
  readonly findings: readonly Finding[];
}

/** What this tree says and ever said. A merge that went wrong leaves files that cannot even be checked. */
export const checkedContract = (): CheckedContract => {
  try {
    const contract = loadContract();
    return { contract, findings: checkLock(contract.texts, contract.governance) };
  } catch {
    throw new StreamError(
      'DATA_PROBLEM',
      'schemas/published.lock.json or schemas/rules.json cannot be read',
      'Restore both from the history; only deviations schema lock writes them',
    );
  }
};

/** Both must be JSON objects to be compared. */
export const changesBetween = (before: string, after: string): readonly Change[] => {
  try {
    return diffSchemas(before, after);
  } catch {
    throw new StreamError(
      'DATA_PROBLEM',
      'a schema to compare is no JSON object',
      'See what is wrong: deviations schema lint',
    );
  }
};
