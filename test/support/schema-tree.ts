/** A tree of one's own to change the contract in: the program and its schemas, copied, with this tree's packages. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Contract, type EventType, readGovernance } from '../../schemas/index.ts';
import { type Ended, REPOSITORY, startNode } from './processes.ts';
import { type Edit, swap } from './schema-edits.ts';
import { FIFTH_TIPO, FOURTH_TIPO } from './schema-governance.ts';

const PARTS = ['bin', 'cli', 'consumer', 'producer', 'schemas', 'wire', 'package.json'] as const;

export interface SchemaTree {
  readonly folder: string;
  /** Changes a file, by its path from the top. */
  edit(file: string, edit: Edit): void;
  read(file: string): string;
  governance(): Contract['governance'];
  /** `deviations <args>` of this tree. */
  deviations(args: readonly string[], env?: Readonly<Record<string, string>>, cwd?: string): Promise<Ended>;
  /** A module's text, run inside this tree; it finds the rooms as `./wire/index.ts`. */
  run(program: string, args: readonly string[]): Promise<Ended>;
  remove(): void;
}

export const avscOf = (type: EventType = 'anamnese.agent_deviation'): string => `schemas/${type}.avsc`;

export const copyTree = (): SchemaTree => {
  const folder = mkdtempSync(join(tmpdir(), 'schema-tree-'));
  for (const part of PARTS) cpSync(join(REPOSITORY, part), join(folder, part), { recursive: true });
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
  const path = (file: string): string => join(folder, file);
  const read = (file: string): string => readFileSync(path(file), 'utf8');

  return {
    folder,
    read,
    edit: (file, edit) => writeFileSync(path(file), edit(read(file))),
    governance: () => readGovernance(path('schemas')),
    deviations: (args, env = {}, cwd = folder) =>
      startNode([path('bin/deviations.js'), ...args], {
        env: { PATH: process.env['PATH'] ?? '', ...env },
        cwd,
      }).ended(),
    run: (program, args) => {
      writeFileSync(path('program.ts'), program);
      return startNode([path('program.ts'), ...args], { env: {}, cwd: folder }).ended();
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};

/** The closed list of the code and the schema, as a change of the vocabulary changes both. */
const withTipo = (tree: SchemaTree, inSchema: Edit, after: string, word: string): void => {
  tree.edit(avscOf(), inSchema);
  tree.edit('schemas/agent-deviation.ts', swap(`'${after}'] as const`, `'${after}', '${word}'] as const`));
};

export const addFourthTipo = (tree: SchemaTree): void =>
  withTipo(tree, FOURTH_TIPO, 'reparo_pelo_usuario', 'alucinacao');
export const addFifthTipo = (tree: SchemaTree): void => withTipo(tree, FIFTH_TIPO, 'alucinacao', 'desvio_de_escopo');
