import type { Cli } from '../command.ts';
import { Command } from '../command.ts';
import { writeLine } from '../io.ts';

interface ToolFlags {
  readonly for?: string;
  readonly kickoff?: string;
}

export const toolCommand = (cli: Cli): Command =>
  new Command('tool')
    .description("print what an engine gives its model: the tool in a runtime's dialect, or the kickoff text")
    .option('--for <dialect>', 'the tool as one JSON value: mcp, anthropic, openai, ai-sdk or langchain')
    .option('--kickoff <language>', 'what tells the Anamnese when to report what: pt or en')
    .action(async (flags: ToolFlags, command: Command) => {
      const { DIALECTS, KICKOFF_LANGUAGES, kickoffText, toolFor } = await import('../../producer/index.ts');
      const wrong = (what: string): never => command.error(`error: ${what}`, { exitCode: 2 });

      if (flags.for !== undefined && flags.kickoff !== undefined) wrong('give --for or --kickoff, not both');
      if (flags.for !== undefined) {
        const dialect = DIALECTS.find((one) => one === flags.for) ?? wrong(`give --for one of ${DIALECTS.join(', ')}`);
        return cli.ends(writeLine(cli.io.stdout, JSON.stringify(toolFor(dialect), undefined, 2)).then(() => 0));
      }
      if (flags.kickoff !== undefined) {
        const language =
          KICKOFF_LANGUAGES.find((one) => one === flags.kickoff) ??
          wrong(`give --kickoff one of ${KICKOFF_LANGUAGES.join(', ')}`);
        return cli.ends(writeLine(cli.io.stdout, kickoffText(language).trimEnd()).then(() => 0));
      }
      wrong(`give --for (${DIALECTS.join(', ')}) or --kickoff (${KICKOFF_LANGUAGES.join(', ')})`);
    });
