/** The flags that `status` and `doctor` share, and the sentence they end with. */
import { Option, type Command } from 'commander';
import type { Consumer } from '../../wire/index.ts';
import { DEFAULT_GROUPS } from '../../wire/names.ts';
import { duration } from '../lists.ts';
import { type Finding, STATES } from './check.ts';

export interface CheckupFlags {
  readonly sinkGroup: string;
  readonly graphGroup: string;
  /** Milliseconds. */
  readonly within: number;
}

const DEFAULT_WITHIN_MS = 10_000;

export const withCheckupFlags = (command: Command): Command =>
  command
    .option('--sink-group <name>', "the sink's consumer group", DEFAULT_GROUPS.sink)
    .option('--graph-group <name>', "the graph's consumer group", DEFAULT_GROUPS.graph)
    .addOption(
      new Option('--within <duration>', 'what has not answered by then counts as away')
        .argParser(duration)
        .default(DEFAULT_WITHIN_MS, '10s'),
    );

export const groupsOf = ({ sinkGroup, graphGroup }: CheckupFlags): Readonly<Record<Consumer, string>> => ({
  sink: sinkGroup,
  graph: graphGroup,
});

/** `7 ok, 1 FAIL`. */
export const summaryOf = (findings: readonly Finding[]): string =>
  STATES.flatMap((state) => {
    const count = findings.filter((one) => one.state === state).length;
    return count === 0 ? [] : [`${count} ${state}`];
  }).join(', ');
