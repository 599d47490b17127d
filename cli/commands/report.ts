import type { Report } from '../../producer/index.ts';
import type { Cli } from '../command.ts';
import { Command, configOf, withSettings } from '../command.ts';
import { writeLine } from '../io.ts';
import { duration } from '../lists.ts';
import { createLog } from '../log.ts';
import { type Line, readLines } from '../read-lines.ts';
import { KAFKA_SETTINGS, REGISTRY_SETTINGS } from '../settings.ts';

/** The longest line, in bytes (design section 7). */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const CLOSE_LIMIT_MS = 5_000;

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
  const command = withSettings(new Command('report'), [
    ...KAFKA_SETTINGS,
    ...REGISTRY_SETTINGS,
    'SESSION_EVENTS_TOPIC',
    'OUTBOX_FILE',
    'AGENTS_FILE',
    'LOG_LEVEL',
  ])
    .description('report deviations: one JSON object a line on stdin, one answer a line on stdout')
    .option('--dry-run', 'judge each line alone and show the record; touches no broker, registry or outbox')
    .option('--drain <duration>', 'how long to wait at the end for reports that still wait', duration, 30_000)
    .option('--require-evidence-lookup', 'refuse a report whose context has no sessionEventIds');

  return command.action(async (flags: ReportFlags) => {
    await cli.ends(
      (async () => {
        const { io } = cli;
        const config = configOf(command, cli);
        const producer = await import('../../producer/index.ts');
        const shared = { agents: config.agents(), requireEvidenceLookup: flags.requireEvidenceLookup ?? false };

        /** Answers until the input ends or a signal comes. */
        const answerEach = async (
          answer: (report: Report) => Promise<{ readonly recorded: boolean }>,
        ): Promise<string> => {
          let recorded = 0;
          let refused = 0;
          const stopped = (): void => void io.stdin.destroy();
          io.stop.addEventListener('abort', stopped, { once: true });
          try {
            for await (const line of readLines(io.stdin, MAX_LINE_BYTES)) {
              const report = reportIn(line);
              const answered = report === undefined ? producer.refused('REPORT_UNREADABLE') : await answer(report);
              if (answered.recorded) recorded += 1;
              else refused += 1;
              await writeLine(io.stdout, JSON.stringify(answered));
            }
          } catch (error) {
            if (!io.stop.aborted) throw error;
          }
          return `${recorded} recorded, ${refused} refused`;
        };

        if (flags.dryRun === true) {
          const policy = producer.reportPolicy(shared);
          await writeLine(io.stderr, `${await answerEach((report) => producer.dryRun(report, policy))} (dry run)`);
          return 0;
        }

        const deviations = producer.createDeviationProducer({
          ...shared,
          kafka: config.kafka(),
          registry: config.registry(),
          topic: config.topic(),
          outboxFile: config.outboxFile(),
          log: createLog(config.logLevel(), io.stderr),
        });
        try {
          const counts = await answerEach((report) => deviations.report(report));
          const waiting = await deviations.flush(flags.drain);
          await writeLine(io.stderr, `${counts}; ${waiting} still wait`);
          return waiting > 0 ? 4 : 0;
        } finally {
          await deviations.close(CLOSE_LIMIT_MS);
        }
      })(),
    );
  });
};
