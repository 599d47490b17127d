import { InvalidArgumentError } from 'commander';
import { parseUuid } from '../../schemas/ids.ts';
import type { Cli } from '../command.ts';
import { Command, configOf, logOf, withSettings } from '../command.ts';
import { writeLine } from '../io.ts';
import { type Format, formatFor, formatOption } from '../output/format.ts';
import { DATABASE_SETTINGS, KAFKA_SETTINGS, REGISTRY_SETTINGS } from '../settings.ts';
import type { Looked } from '../show/look.ts';

const wholeId = (given: string): string => {
  const id = parseUuid(given);
  if (id !== undefined) return id;
  throw new InvalidArgumentError('Give a whole event id, 8-4-4-4-12 hexadecimal digits; query finds it: -o tsv');
};

/** The first of what went wrong, as an exit code; what stands at the place should be what the row was made of. */
const exitCodeOf = ({ record, schemaVersion }: Looked): number => {
  for (const part of [record, schemaVersion]) if (part.kind === 'failed') return part.error.exitCode;
  const isRight = record.kind !== 'known' || ['same', 'unchecked', 'deleted'].includes(record.value.kind);
  return isRight ? 0 : 5;
};

const NOT_STORED = [
  'is not stored. Whether a report still waits: deviations status',
  'A record that could not be stored is known by its place alone, not by its id: deviations quarantine list',
] as const;

interface ShowFlags {
  readonly output?: Format;
  readonly failIfEmpty?: boolean;
}

export const showCommand = (cli: Cli): Command => {
  const command = withSettings(new Command('show'), [
    ...DATABASE_SETTINGS,
    ...KAFKA_SETTINGS,
    ...REGISTRY_SETTINGS,
    'LOG_LEVEL',
  ])
    .description('one deviation with everything about it: its record on the topic, its schema, its evidence')
    .argument('<id>', 'event id', wholeId)
    .option('--fail-if-empty', 'exit 6 when it is not stored')
    .addOption(formatOption());

  return command.action(async (id: string, flags: ShowFlags) => {
    await cli.endsItself(
      (async () => {
        const { io, screen } = cli;
        const config = configOf(command, cli);
        const [{ openReader }, { lookAt }, { printLooked }] = await Promise.all([
          import('../../consumer/index.ts'),
          import('../show/look.ts'),
          import('../show/print.ts'),
        ]);
        const say = (line: string): Promise<void> => writeLine(io.stderr, line);
        const reader = openReader(config.database());
        try {
          const [row] = await reader.deviations({ eventIds: [id] });
          if (row === undefined) {
            if (formatFor(flags.output, screen) === 'json') await screen.print('[]');
            await say(`${id} ${NOT_STORED.join('\n')}`);
            return flags.failIfEmpty === true ? 6 : 0;
          }
          const looked = await lookAt(row, reader, { config, log: await logOf(config, cli), signal: io.stop });
          await printLooked(looked, screen, formatFor(flags.output, screen));
          for (const part of [looked.record, looked.schemaVersion]) {
            if (part.kind === 'failed') await say(`deviations: ${part.error.message}`);
          }
          return exitCodeOf(looked);
        } finally {
          await reader.close();
        }
      })(),
    );
  });
};
