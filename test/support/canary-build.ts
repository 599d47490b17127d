/** The parts that a mark goes through, so that a build can be put together that leaks on purpose. */
import { createLog } from '../../cli/log.ts';
import { main } from '../../cli/main.ts';
import type { Io } from '../../cli/io.ts';
import { createSinkJudge, graphJudge, type Judge } from '../../consumer/index.ts';
import {
  createProducer,
  type DeviationProducer,
  dryRun,
  type Recorder,
  type ReportPolicy,
} from '../../producer/index.ts';
import { AGENT_DEVIATION, type AgentDeviation } from '../../schemas/index.ts';
import { createEncoder, type Log } from '../../wire/index.ts';
import { CATALOGUE } from './canary-draft.ts';

export interface Build {
  /** The right one has no use for the log; one that leaks may. */
  readonly createProducer: (
    policy: ReportPolicy,
    recorder: Recorder,
    log: Log,
  ) => Pick<DeviationProducer, 'report' | 'close'>;
  readonly dryRun: typeof dryRun;
  readonly main: typeof main;
  readonly createLog: (stderr: Io['stderr']) => Log;
  /** What the assembler's event goes through; throws on one that breaks the schema. */
  readonly encode: (event: AgentDeviation) => Uint8Array;
  readonly judges: readonly Judge[];
}

const encoder = createEncoder(AGENT_DEVIATION);

export const RIGHT_BUILD: Build = {
  createProducer: (policy, recorder) => createProducer(policy, recorder),
  dryRun,
  main,
  createLog: (stderr) => createLog('debug', stderr),
  encode: (event) => encoder.encode(event),
  judges: [createSinkJudge({ agents: new Set(CATALOGUE) }), graphJudge],
};
