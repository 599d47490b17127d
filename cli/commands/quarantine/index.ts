import type { Cli } from '../../command.ts';
import { Command } from '../../command.ts';
import { discardCommand } from './discard.ts';
import { listCommand } from './list.ts';
import { retryCommand } from './retry.ts';
import { showCommand } from './show.ts';

export const quarantineCommand = (cli: Cli): Command =>
  new Command('quarantine')
    .description('what the consumers could not take: list, show, retry, discard')
    .addCommand(listCommand(cli))
    .addCommand(showCommand(cli))
    .addCommand(retryCommand(cli))
    .addCommand(discardCommand(cli));
