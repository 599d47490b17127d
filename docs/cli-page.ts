/** docs/cli.md: every command, flag and setting, as the program itself has them. */
import { type DocumentedCommand, documentedProgram } from '../cli/documented.ts';

const ROW_BREAK = /\|/g;
const cell = (text: string): string => text.replace(ROW_BREAK, '\\|').replaceAll('\n', ' ');
const code = (text: string): string => `\`${text}\``;
const table = (heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
  rows.length === 0
    ? []
    : [
        '',
        `| ${heads.join(' | ')} |`,
        `| ${heads.map(() => '---').join(' | ')} |`,
        ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
      ];

const withWords = (help: string, words: readonly string[]): string =>
  words.length === 0 ? help : `${help}: ${words.map(code).join(', ')}`;

/** Settings that most commands take together, under the beginning of their names. */
const FAMILIES = ['KAFKA_', 'SCHEMA_REGISTRY_', 'DATABASE_'] as const;

const settingNames = (settings: readonly string[]): string =>
  [
    ...FAMILIES.filter((family) => settings.some((name) => name.startsWith(family))).map((family) => `${family}*`),
    ...settings.filter((name) => !FAMILIES.some((family) => name.startsWith(family))),
  ]
    .map(code)
    .join(', ');

const flagRows = (flags: DocumentedCommand['flags']): readonly (readonly string[])[] =>
  flags.map(({ flags: spelled, help, words, standard }) => [
    code(spelled),
    [withWords(help, words), standard === undefined ? '' : `(else ${code(standard)})`].join(' ').trimEnd(),
  ]);

const section = ({ words, help, usage, flags, settings, hasFilters }: DocumentedCommand): readonly string[] => [
  '',
  `## ${words}`,
  '',
  `${help.charAt(0).toUpperCase()}${help.slice(1)}.`,
  '',
  `    ${usage}`,
  ...table(['flag', 'meaning'], flagRows(flags)),
  ...(hasFilters ? ['', 'Takes the [filters](#filters).'] : []),
  ...(settings.length === 0 ? [] : ['', `Settings: ${settingNames(settings)}.`]),
];

export const cliPage = (): string => {
  const { commands, globals, filters, settings, exitCodes } = documentedProgram();
  return [
    '# The commands',
    '',
    '<!-- Made from the command table by `npm run docs`; `npm run check` fails when it is not what the program says. -->',
    '',
    'One binary, `deviations`; `deviations COMMAND --help` says the same as this page. Data goes to stdout, talk to stderr.',
    'A terminal gets a table that fits it, a pipe tab-separated lines; `-o ndjson`, `json`, `csv`, `tsv` or `table` decides',
    'otherwise. In `ndjson` an event has its fields at the top level under their schema names and its place under `_meta`; in',
    '`tail` and `show` its headers under `_headers`. Keys are only ever added.',
    '',
    '## Exit codes',
    ...table(
      ['code', 'meaning'],
      exitCodes.map(([number, says]) => [String(number), says]),
    ),
    '',
    'The output format never changes the code. A reader such as `head` that has seen enough ends any command with 0.',
    '',
    '## Flags of every command',
    ...table(['flag', 'meaning'], flagRows(globals)),
    '',
    '## Filters',
    '',
    'Of every command that is about deviations. Within one flag OR, be it repeated or with commas; between flags AND.',
    ...table(['flag', 'meaning'], flagRows(filters)),
    '',
    'A date is a local one, and `yesterday` begins at a local midnight; every time that is shown is in UTC.',
    '',
    '## Settings',
    '',
    'A flag stands over the environment, the environment over the default. `deviations config` shows where each came from.',
    ...table(
      ['setting', 'flag', 'meaning', 'default'],
      settings.map(({ name, flag, help, words, standard }) => [
        code(name),
        flag === undefined ? '' : code(flag),
        withWords(help, words),
        standard === undefined ? '' : code(standard),
      ]),
    ),
    ...commands.flatMap(section),
    '',
  ].join('\n');
};
