/** The fuzz on the assembler's side: so many calls by a seed, through every path that needs no stack. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Build, RIGHT_BUILD } from './canary-build.ts';
import { aLineCall, aMessageCall, aReportCall, type CallWish, type LineCall, type ReportCall } from './canary-call.ts';
import { CATALOGUE } from './canary-draft.ts';
import { createSink, holdProcessOutput } from './canary-io.ts';
import { throughDryRun, throughEncoder, throughJudges, throughReport } from './canary-paths.ts';
import { throughCommand, throughMcp } from './canary-streams.ts';
import { Tally } from './canary-tally.ts';

export interface FuzzWish {
  readonly calls: number;
  readonly seed: number;
  /** Every call is a report that must be refused; otherwise half of them break a rule. */
  readonly onlyRefused?: boolean;
  readonly build?: Build;
  readonly onProgress?: (calls: number) => void;
}

const CHUNK = 500;
/** Prime, so that large calls come by every path. */
const HUGE_EVERY = 1_999;

const MIXED = ['report', 'report', 'report', 'line', 'line', 'line', 'dry run', 'MCP', 'encoder', 'judges'] as const;
const REPORTS = ['report', 'report', 'report', 'line', 'line', 'line', 'dry run', 'dry run', 'MCP', 'MCP'] as const;

export const runFuzz = async ({
  calls,
  seed,
  onlyRefused = false,
  build = RIGHT_BUILD,
  onProgress,
}: FuzzWish): Promise<Tally> => {
  const tally = new Tally();
  const paths = onlyRefused ? REPORTS : MIXED;
  const folder = mkdtempSync(join(tmpdir(), 'canary-'));
  const agentsFile = join(folder, 'agents.txt');
  writeFileSync(agentsFile, CATALOGUE.join('\n'));
  const output = holdProcessOutput();
  try {
    for (let from = 0; from < calls; from += CHUNK) {
      const lines: LineCall[] = [];
      const messages: LineCall[] = [];
      const reports: ReportCall[] = [];
      const stderr = createSink();
      const log = build.createLog(stderr.stream);
      for (let number = from; number < Math.min(from + CHUNK, calls); number += 1) {
        const wish: CallWish = { seed, number, refused: onlyRefused ? 1 : 0.5, hugeEvery: HUGE_EVERY };
        const path = paths[number % paths.length] ?? 'report';
        switch (path) {
          case 'line':
            lines.push(aLineCall(wish));
            break;
          case 'MCP':
            messages.push(aMessageCall(wish));
            break;
          case 'encoder':
            await throughEncoder(seed, number, build, tally);
            break;
          case 'judges':
            await throughJudges(seed, number, build, tally);
            break;
          case 'dry run':
            await throughDryRun(aReportCall(wish), build, tally);
            break;
          case 'report': {
            // Of those that break no rule, the outbox refuses some, or all.
            const call = aReportCall({ ...wish, refused: onlyRefused ? 0.8 : 0.5 });
            await throughReport(call, onlyRefused ? 0 : 0.9, build, log, tally);
            reports.push({ ...call, report: undefined });
            break;
          }
          default:
            path satisfies never;
        }
      }
      await throughCommand(lines, agentsFile, build, tally);
      await throughMcp(messages, build, tally);
      tally.searchAll(reports, 'log', stderr.text());
      tally.searchAll([...reports, ...lines, ...messages], 'output of the process', output.taken());
      onProgress?.(Math.min(from + CHUNK, calls));
    }
    return tally;
  } finally {
    output.giveBack();
    rmSync(folder, { recursive: true });
  }
};
