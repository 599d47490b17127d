import type { Report } from '../../producer/index.ts';
import type { Cli } from '../command.ts';
import { Command, configOf, logOf, withSettings } from '../command.ts';
import { CLOSED_PIPE, writeLine } from '../io.ts';
import { duration } from '../lists.ts';
import { type Line, readLines } from '../read-lines.ts';
import { PRODUCER_SETTINGS } from '../settings.ts';

/** The longest line, in bytes (design section 7). */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** Letting the file and the lease go; `--drain` has been waited for by then. */
const CLOSE_LIMIT_MS = 500;

interface ReportFlags {
  readonly dryRun?: boolean;
  readonly drain: number;
  readonly requireEvidenceLookup?: boolean;
}

/** Strict: a byte that is no UTF-8 makes the line unreadable instead of another text. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The line's JSON object, or undefined when it is none. */
const reportIn = (line: Line): Report | undefined => {
  if (!line.fits) return undefined;
  try {
    const value: unknown = JSON.parse(utf8.decode(line.bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Report) : undefined; // checked by the producer
  } catch {
    return undefined;
  }
};

export const reportCommand = (cli: Cli): Command => {
  const command = withSettings(new Command('report'), PRODUCER_SETTINGS)
    .description('report deviations: one JSON object a line on stdin, one answer a line on stdout')
    .option('--dry-run', 'judge each line alone and show the record; touches no broker, registry or outbox')
    .option('--drain <duration>', 'how long to wait at the end for reports that still wait', duration, 30_000)
    .option('--require-evidence-lookup', 'refuse a report whose context has no sessionEventIds');

  return command.action(async (flags: ReportFlags) => {
    await cli.endsItself(
      (async () => {
        const { io } = cli;
        const config = configOf(command, cli);
        const requireEvidenceLookup = flags.requireEvidenceLookup ?? false;
        const [{ dryRun, refused, reportPolicy }, { openProducer }] = await Promise.all([
          import('../../producer/index.ts'),
          import('../open-producer.ts'),
        ]);

        /** Answers until the input ends or a signal comes. */
        const answerEach = async (
          answer: (
            report: Report | undefined,
          ) => { readonly recorded: boolean } | Promise<{ readonly recorded: boolean }>,
        ): Promise<string> => {
          const counts = { recorded: 0, refused: 0 };
          const stopped = (): void => void io.stdin.destroy();
          io.stop.addEventListener('abort', stopped, { once: true });
          try {
            for await (const line of readLines(io.stdin, MAX_LINE_BYTES)) {
              const answered = await answer(reportIn(line));
              counts[answered.recorded ? 'recorded' : 'refused'] += 1;
              await writeLine(io.stdout, JSON.stringify(answered));
            }
          } catch (error) {
            if (!io.stop.aborted) throw error;
          }
          return `${counts.recorded} recorded, ${counts.refused} refused`;
        };

        /** Whoever read the answers is gone, and the talk with them. */
        const say = async (text: string): Promise<void> => {
          if (io.stop.reason !== CLOSED_PIPE) await writeLine(io.stderr, text);
        };

        if (flags.dryRun === true) {
          const policy = reportPolicy({ agents: config.agents(), requireEvidenceLookup });
          const counts = await answerEach((report) =>
            report === undefined ? refused('REPORT_UNREADABLE') : dryRun(report, policy),
          );
          await say(`${counts} (dry run)`);
          return 0;
        }

        const producer = openProducer(config, await logOf(config, cli), requireEvidenceLookup);
        try {
          const counts = await answerEach((report) =>
            report === undefined ? producer.unreadable() : producer.report(report),
          );
          const waiting = await producer.flush(flags.drain);
          const waits = waiting === undefined ? 'how many wait the outbox does not say' : `${waiting} still wait`;
          await say(`${counts}; ${waits}`);
          return waiting === 0 ? 0 : 4;
        } finally {
          await producer.close(CLOSE_LIMIT_MS);
        }
      })(),
    );
  });
};
