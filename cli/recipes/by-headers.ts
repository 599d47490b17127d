/**
 * Questions that the headers answer, for any tool that can list them, a record a line: none needs Avro or the registry.
 * What is printed is picked by its pattern, so that the headers of a stranger do not reach the terminal.
 */
import { AGENT_DEVIATION } from '../../schemas/index.ts';
import { type Asked, type RecipeWish, sessionQuestion, sessionWord } from './recipe.ts';

export interface HeaderLister {
  /** Prints the headers of every record, a line each, as `name=value,name=value`. */
  readonly list: string;
  /** Between a header's name and its value. */
  readonly sign: '=' | ':';
}

const counted = '| sort | uniq -c | sort -rn';

/** Whatever the order in which the tool lists them; kafkactl's value follows after a #. */
const pickedBy = (sign: string): string =>
  `awk -F'[,#]' '{for (i = 1; i <= NF; i++) {p = index($i, "${sign}"); v[substr($i, 1, p - 1)] = substr($i, p + 1)} ` +
  `print v["ce_time"], v["ce_tipo"], v["ce_agente"], v["ce_id"]}' | grep -E '^[0-9TZ:.-]+ [a-z_]+ [a-z0-9-]+ [0-9a-f-]{36}$'`;

export const headerRecipes = ({ list, sign }: HeaderLister, { session }: RecipeWish): readonly Asked[] => {
  const type = `ce_type${sign}${AGENT_DEVIATION}`;
  const ours = `${list} | grep -Fw ${type}`;
  return [
    { name: 'count', question: 'how many deviations are on the topic', command: `${list} | grep -cFw ${type}` },
    {
      name: 'by-tipo',
      question: 'how many of each kind',
      command: `${ours} | grep -oE 'ce_tipo${sign}[a-z_]+' ${counted}`,
    },
    {
      name: 'by-agente',
      question: 'how many of each agent',
      command: `${ours} | grep -oE 'ce_agente${sign}[a-z0-9-]+' ${counted}`,
    },
    {
      name: 'session',
      question: `how many ${sessionQuestion(session)}`,
      command: `${ours} | grep -cFw "ce_subject${sign}${sessionWord(session)}"`,
    },
    {
      name: 'last',
      question: 'the last ten: time, kind, agent, id',
      command: `${ours} | ${pickedBy(sign)} | sort | tail -n 10`,
    },
  ];
};
