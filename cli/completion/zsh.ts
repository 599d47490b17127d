/** Completion for zsh: a file `_deviations` in the fpath, or sourced. */
import type { CompletedCommand } from './tree.ts';

/** In single quotes; `_describe` parts a word from its help at a colon. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const described = (word: string, help: string): string => quoted(`${word.replaceAll(':', '\\:')}:${help}`);
const pathOf = ({ path }: CompletedCommand): string => path.join(' ');

export const zshScript = (tree: readonly CompletedCommand[]): string => {
  const steps = tree.filter(({ path }) => path.length > 0).map((command) => quoted(pathOf(command)));
  const values = tree.flatMap((command) =>
    command.flags
      .filter(({ takesValue }) => takesValue)
      .map(({ names, words, isFile, help }) => {
        const keys = names.map((name) => quoted(`${pathOf(command)} ${name}`.trim())).join('|');
        if (isFile) return `    ${keys}) _files; return ;;`;
        return words.length === 0
          ? `    ${keys}) _message ${quoted(help)}; return ;;`
          : `    ${keys}) compset -P '*,'; compadd -- ${words.join(' ')}; return ;;`;
      }),
  );
  const offers = tree.map((command) => {
    const flags = command.flags.flatMap(({ names, help }) => names.map((name) => described(name, help)));
    const words = [
      ...command.children.map(({ name, help }) => described(name, help)),
      ...command.words.map((word) => quoted(word)),
    ];
    return [
      `    ${quoted(pathOf(command))})`,
      `      flags=(${flags.join(' ')})`,
      `      words_here=(${words.join(' ')}) ;;`,
    ];
  });
  return [
    '#compdef deviations',
    '# zsh completion of deviations. Load it: source <(deviations completion zsh), or save it as _deviations in your fpath.',
    '_deviations() {',
    "  local at_command='' word",
    '  local -a flags words_here',
    '  for word in "${(@)words[2,CURRENT-1]}"; do',
    '    case "${at_command:+$at_command }$word" in',
    `      ${steps.join('|')}) at_command="\${at_command:+$at_command }$word" ;;`,
    '    esac',
    '  done',
    '  case "${at_command:+$at_command }${words[CURRENT-1]}" in',
    ...values,
    '  esac',
    '  case "$at_command" in',
    ...offers.flat(),
    '  esac',
    '  if [[ "${words[CURRENT]}" == -* ]]; then',
    "    _describe -t flags 'flag' flags",
    '  else',
    "    _describe -t commands 'command' words_here",
    '  fi',
    '}',
    'if [[ "$funcstack[1]" == _deviations ]]; then _deviations "$@"; else compdef _deviations deviations; fi',
  ].join('\n');
};
