import { isStreamError } from '../../wire/errors.ts';
import type { Cli } from '../command.ts';
import { Command, configOf, withSettings } from '../command.ts';
import { writeLine } from '../io.ts';
import { oneId, wordArgument } from '../lists.ts';
import { type Column, type Format, formatFor, formatOption, print } from '../output/format.ts';
import { type Recipe, type RecipeWish, type Tool, TOOLS } from '../recipes/recipe.ts';
import { DATABASE_SETTINGS, KAFKA_SETTINGS } from '../settings.ts';
import { DEFAULT_GROUPS } from '../../wire/names.ts';

const COLUMNS: readonly Column<Recipe>[] = [
  { heading: 'tool', of: ({ tool }) => tool },
  { heading: 'name', of: ({ name }) => name },
  { heading: 'question', of: ({ question }) => question },
  { heading: 'command', of: ({ command }) => command },
];

const HELP = `
On a terminal each question is a comment above its command; in a pipe, and with -o, a recipe a line. Commands are for bash
or zsh. They ask the topic by its headers, which repeat what the body says: an event that was sent twice counts twice there
and once in the table. A secret is read from its file when the command runs.`;

interface RecipesFlags {
  readonly session?: string;
  readonly sinkGroup: string;
  readonly graphGroup: string;
  readonly output?: Format;
}

/** Without a tool's name: those that the settings are for; the others are said on stderr. */
const everyRecipe = async (
  wish: RecipeWish,
  book: Readonly<Record<Tool, (wish: RecipeWish) => readonly Recipe[]>>,
  say: (line: string) => Promise<void>,
): Promise<readonly Recipe[]> => {
  const recipes: Recipe[] = [];
  for (const tool of TOOLS) {
    try {
      recipes.push(...book[tool](wish));
    } catch (error) {
      if (!isStreamError(error) || error.exitCode !== 3) throw error;
      const why = error.code === 'CONFIG_MISSING' ? `${error.where} is not set` : error.where;
      await say(`no recipes for ${tool}: ${why}`);
    }
  }
  return recipes;
};

export const recipesCommand = (cli: Cli): Command => {
  const command = withSettings(new Command('recipes'), [
    ...KAFKA_SETTINGS,
    ...DATABASE_SETTINGS,
    'SESSION_EVENTS_TOPIC',
  ])
    .description('the same questions with the tools you have, ready to paste')
    .addArgument(wordArgument('[tool]', 'for one tool alone', TOOLS))
    .option('--session <id>', 'the session of the recipes that ask about one, else $SESSION', oneId)
    .option('--sink-group <name>', "the sink's consumer group", DEFAULT_GROUPS.sink)
    .option('--graph-group <name>', "the graph's consumer group", DEFAULT_GROUPS.graph)
    .addOption(formatOption())
    .addHelpText('after', HELP);
  return command.action(async (tool: Tool | undefined, flags: RecipesFlags) => {
    await cli.ends(
      (async () => {
        const { COOK_BOOK } = await import('../recipes/cook-book.ts');
        const wish = {
          config: configOf(command, cli),
          session: flags.session,
          groups: { sink: flags.sinkGroup, graph: flags.graphGroup },
        };
        const records =
          tool === undefined
            ? await everyRecipe(wish, COOK_BOOK, (line) => writeLine(cli.io.stderr, line))
            : COOK_BOOK[tool](wish);
        const format = formatFor(flags.output, cli.screen);
        if (format === 'table') {
          const { dim } = cli.screen.paint;
          for (const { tool: with_, question, command: line } of records) {
            await cli.screen.print(`${dim(`# ${with_}: ${question}`)}\n${line}\n`);
          }
          return 0;
        }
        const toJson = ({ tool: with_, name, question, command: line }: Recipe) => ({
          tool: with_,
          name,
          question,
          command: line,
        });
        await print({ records, columns: COLUMNS, toJson }, cli.screen, format);
        return 0;
      })(),
    );
  });
};
