/** A question with the command of somebody else's tool that answers it, ready to be pasted. */
import { type Consumer, CONSUMERS } from '../../wire/names.ts';
import type { Config } from '../config.ts';
import { shellWord } from '../shell.ts';

export const TOOLS = ['kcat', 'console', 'kafkactl', 'psql', 'sqlite'] as const;
export type Tool = (typeof TOOLS)[number];

export interface Recipe {
  readonly tool: Tool;
  readonly name: string;
  readonly question: string;
  /** One line for a shell: bash or zsh, since a secret is handed over by `<(…)`. */
  readonly command: string;
}

export interface RecipeWish {
  readonly config: Config;
  /** The session of the recipes that ask about one; undefined: the shell's `$SESSION`. */
  readonly session: string | undefined;
  readonly groups: Readonly<Record<Consumer, string>>;
}

/** What all recipes of a tool that lists records are made of. */
export type Asked = Pick<Recipe, 'name' | 'question' | 'command'>;

export const recipesOf = (tool: Tool, asked: readonly Asked[]): readonly Recipe[] =>
  asked.map(({ name, question, command }) => ({ tool, name, question, command }));

/** Nothing in it is the shell's but `$SESSION`. */
export const sessionWord = (session: string | undefined): string => session ?? '$SESSION';

export const sessionQuestion = (session: string | undefined): string =>
  session === undefined ? 'of one session; first: SESSION=<its id>' : 'of this session';

/** One for each group: the tools refuse two when one of them is not there. `describe` is the command without the group. */
export const lagRecipes = (describe: string, { groups }: RecipeWish): readonly Asked[] =>
  CONSUMERS.map((consumer) => ({
    name: `lag-${consumer}`,
    question: `where the ${consumer} stands, and how far behind it is`,
    command: `${describe} ${shellWord(groups[consumer])}`,
  }));
