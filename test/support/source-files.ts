/** The program's files and what each of them imports, read from the text: as much of a compiler as the rooms test needs. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

export const TREE = join(import.meta.dirname, '..', '..');

/** Files in the order of their paths, relative to the tree, with slashes. */
export const filesUnder = (folder: string): readonly string[] => {
  if (!existsSync(join(TREE, folder))) return [];
  return readdirSync(join(TREE, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => posix.join(folder, file.replaceAll('\\', '/')))
    .filter((file) => /\.(ts|js|mjs)$/.test(file) && !file.endsWith('.d.ts'))
    .filter((file) => !file.includes('.cache/') && !file.includes('node_modules/'))
    .filter((file) => statSync(join(TREE, file)).isFile())
    .sort();
};

export const textOf = (file: string): string => readFileSync(join(TREE, file), 'utf8');

/** Comments blanked out, so that a word about a module is no import of it. Our own texts hold no `//` before an import. */
export const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');

const FORMS = [
  /^\s*(?:import|export)\s[^'";]*?\sfrom\s+['"]([^'"]+)['"]/gm,
  /^\s*import\s+['"]([^'"]+)['"]/gm,
  /\bimport\s*\(\s*['"]([^'"]+)['"]/g,
  /\brequire\s*\(\s*['"]([^'"]+)['"]/g,
  /\bnew\s+URL\s*\(\s*['"](\.[^'"]+\.ts)['"]\s*,\s*import\.meta\.url/g,
] as const;

/** Every module that a text names in an import of any form: static, for its effect, re-export, dynamic, type, thread. */
export const specifiersIn = (text: string): readonly string[] => {
  const code = withoutComments(text);
  return FORMS.flatMap((form) => [...code.matchAll(form)].map(([, specifier]) => specifier ?? ''));
};

export interface Import {
  readonly from: string;
  /** A file of the tree, or the name of a package or of a part of Node. */
  readonly to: string;
  readonly isFile: boolean;
}

export const importsOf = (file: string): readonly Import[] =>
  specifiersIn(textOf(file)).map((specifier) =>
    specifier.startsWith('.')
      ? { from: file, to: posix.join(posix.dirname(file), specifier), isFile: true }
      : { from: file, to: specifier, isFile: false },
  );

/** `@scope/name` or `name`, without the path inside. */
export const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
