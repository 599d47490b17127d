import { type Cli, Command } from '../command.ts';
import { wordArgument } from '../lists.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const rootOf = (command: Command): Command => (command.parent === null ? command : rootOf(command.parent));

export const completionCommand = (cli: Cli): Command =>
  new Command('completion')
    .description(
      "print a completion script; load it with 'source <(deviations completion bash)', in fish with 'deviations completion fish | source'",
    )
    .addArgument(wordArgument('<shell>', 'bash, zsh or fish', SHELLS))
    .action(async (shell: Shell, _flags: unknown, self: Command) => {
      await cli.ends(
        (async () => {
          const [{ commandTree }, { bashScript }, { zshScript }, { fishScript }] = await Promise.all([
            import('../completion/tree.ts'),
            import('../completion/bash.ts'),
            import('../completion/zsh.ts'),
            import('../completion/fish.ts'),
          ]);
          const script = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell];
          await cli.screen.print(script(commandTree(rootOf(self))));
          return 0;
        })(),
      );
    });
