/** Completion for bash, by itself: it needs no package of helpers and starts no process. */
import type { CompletedCommand } from './tree.ts';

const pathOf = ({ path }: CompletedCommand): string => path.join(' ');

/** `'query --tipo'|'stats --tipo') … ;;` for each set of flags that answer alike. */
const cases = (answers: ReadonlyMap<string, readonly string[]>, indent: string): readonly string[] =>
  [...answers].map(([answer, keys]) => `${indent}${keys.map((key) => `'${key}'`).join('|')}) ${answer} ;;`);

const collect = (
  entries: readonly (readonly [answer: string, key: string])[],
): ReadonlyMap<string, readonly string[]> => {
  const collected = new Map<string, string[]>();
  for (const [answer, key] of entries) collected.set(answer, [...(collected.get(answer) ?? []), key]);
  return collected;
};

export const bashScript = (tree: readonly CompletedCommand[]): string => {
  const values = tree.flatMap((command) =>
    command.flags
      .filter(({ takesValue }) => takesValue)
      .flatMap(({ names, words, isFile }) =>
        names.map((name) => {
          const answer = isFile ? 'kind=file' : `kind=words list='${words.join(' ')}'`;
          return [answer, `${pathOf(command)} ${name}`.trim()] as const;
        }),
      ),
  );
  const offers = tree.map((command) => {
    const flags = command.flags.flatMap(({ names }) => names.filter((name) => name.startsWith('--')));
    const words = [...command.children.map(({ name }) => name), ...command.words];
    return [`flags='${flags.join(' ')}' words='${words.join(' ')}'`, pathOf(command)] as const;
  });
  const steps = tree.filter(({ path }) => path.length > 0).map((command) => `'${pathOf(command)}'`);
  return [
    '# bash completion of deviations. Load it: source <(deviations completion bash)',
    '_deviations() {',
    "  local IFS=$' \\t\\n' path='' kind='' list='' flags='' words='' before='' word at cur prev",
    '  cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}',
    '  # --flag=value comes as three words.',
    "  if [[ $cur == '=' ]]; then cur=''; elif [[ $prev == '=' ]]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi",
    '  for ((at = 1; at < COMP_CWORD; at++)); do',
    '    word=${COMP_WORDS[at]}',
    '    case "${path:+$path }$word" in',
    `      ${steps.join('|')}) path=\${path:+$path }$word ;;`,
    '    esac',
    '  done',
    '  case "${path:+$path }$prev" in',
    ...cases(collect(values), '    '),
    '  esac',
    '  COMPREPLY=()',
    '  if [[ $kind == file ]]; then',
    '    compopt -o filenames 2>/dev/null',
    '    while read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")',
    '    return',
    '  fi',
    '  if [[ $kind == words ]]; then',
    '    # The words of a list are separated by commas.',
    '    if [[ $cur == *,* ]]; then before=${cur%,*},; fi',
    '    COMPREPLY=($(compgen -P "$before" -W "$list" -- "${cur##*,}"))',
    '    return',
    '  fi',
    '  case "$path" in',
    ...cases(collect(offers), '    '),
    '  esac',
    '  if [[ $cur == -* ]]; then words=$flags; fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '}',
    'complete -F _deviations deviations',
  ].join('\n');
};
