/** The tool's handler: what a runtime calls with the engine's context and the model's arguments. */
import type { ReportContext } from '../context.ts';
import type { Answer, DeviationProducer } from '../create-producer.ts';

/**
 * `:direct`: answers as soon as the report is recorded or refused, never throws into the engine, never ends the round.
 * `input` is whatever the model said.
 */
export type ToolHandler = (context: ReportContext, input: unknown) => Promise<Answer>;

export const createHandler =
  (producer: Pick<DeviationProducer, 'report'>): ToolHandler =>
  (context, input) =>
    producer.report({ context, input });
