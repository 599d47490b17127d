/** Completion for fish: a line for each command, flag and word. */
import type { CompletedCommand, CompletedFlag } from './tree.ts';

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const flagLine = (condition: string, { names, help, takesValue, isFile, words }: CompletedFlag): string => {
  const spelled = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const value = [
    ...(takesValue ? ['-r'] : []),
    // Without it fish offers files for every value.
    ...(isFile ? ['-F'] : ['-f']),
    ...(words.length === 0 ? [] : [`-a ${quoted(words.join(' '))}`]),
  ];
  return `complete -c deviations -n ${quoted(condition)} ${spelled.join(' ')} ${value.join(' ')} -d ${quoted(help)}`;
};

export const fishScript = (tree: readonly CompletedCommand[]): string => {
  const paths = tree.filter(({ path }) => path.length > 0).map(({ path }) => quoted(path.join(' ')));
  return [
    '# fish completion of deviations. Load it: deviations completion fish | source',
    'function __deviations_at',
    "    set -l path ''",
    '    for word in (commandline -opc)[2..-1]',
    '        set -l longer (string trim -- "$path $word")',
    `        contains -- $longer ${paths.join(' ')}; and set path $longer`,
    '    end',
    '    test "$path" = "$argv"',
    'end',
    'complete -c deviations -f',
    ...tree.flatMap(({ path, children, flags, words }) => {
      const condition = `__deviations_at ${path.join(' ')}`.trim();
      return [
        ...children.map(
          ({ name, help }) => `complete -c deviations -n ${quoted(condition)} -a ${quoted(name)} -d ${quoted(help)}`,
        ),
        ...(words.length === 0 ? [] : [`complete -c deviations -n ${quoted(condition)} -a ${quoted(words.join(' '))}`]),
        ...flags.map((flag) => flagLine(condition, flag)),
      ];
    }),
  ].join('\n');
};
