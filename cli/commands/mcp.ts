import type { Cli } from '../command.ts';
import { Command, configOf, logOf, withSettings } from '../command.ts';
import { writeLine } from '../io.ts';
import { duration } from '../lists.ts';
import { readLines } from '../read-lines.ts';
import { PRODUCER_SETTINGS } from '../settings.ts';

/** The longest message, in bytes: that of a line of `report`. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** Spent three times at most, and the SDK's own client kills a server 2 s after it sent SIGTERM. */
const CLOSE_LIMIT_MS = 500;

interface McpFlags {
  readonly drain: number;
  readonly requireEvidenceLookup?: boolean;
}

export const mcpCommand = (cli: Cli): Command => {
  const command = withSettings(new Command('mcp'), PRODUCER_SETTINGS)
    .description('serve the tool over MCP on stdin and stdout; the context comes in _meta["anamnese/context"]')
    .option('--drain <duration>', 'how long to wait at the end for reports that still wait', duration, 5_000)
    .option('--require-evidence-lookup', 'refuse a report whose context has no sessionEventIds');

  return command.action(async (flags: McpFlags) => {
    await cli.endsItself(
      (async () => {
        const { io } = cli;
        const config = configOf(command, cli);
        const log = await logOf(config, cli);
        const [{ openProducer }, { serveMcp }, { within }] = await Promise.all([
          import('../open-producer.ts'),
          import('../../producer/index.ts'),
          import('../../wire/index.ts'),
        ]);
        const stopped = new Promise<void>((resolve) => {
          io.stop.addEventListener('abort', () => resolve(), { once: true });
          if (io.stop.aborted) resolve();
        });
        const producer = openProducer(config, log, flags.requireEvidenceLookup ?? false);
        try {
          const session = await serveMcp({
            producer,
            lines: readLines(io.stdin, MAX_LINE_BYTES),
            write: (line) => writeLine(io.stdout, line),
            log,
          });
          await Promise.race([session.ended, stopped]);
          // A client that closed its end may still read; one that sent a signal waits no longer than it must.
          const drained = session.answered().then(() => producer.flush(flags.drain));
          await within(flags.drain, Promise.race([drained, stopped]), () => {});
          await within(CLOSE_LIMIT_MS, session.answered(), () => {});
          await session.close();
          return 0;
        } finally {
          const waiting = await producer.close(CLOSE_LIMIT_MS);
          if (waiting === undefined) log.warn('ended while nobody can tell whether reports wait');
          else if (waiting > 0) log.warn('ended while reports still wait', { count: waiting });
        }
      })(),
    );
  });
};
