/** What the demo plays: recorded reports of real sessions, and projectable events of the same sessions. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReportContext } from '../../producer/index.ts';
import { type ProjectableType, type SessionEvents, EVENTOS_DO_LOG_PROJETAVEIS } from '../../schemas/index.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'examples');

export const AGENTS_FILE = join(FOLDER, 'agents.txt');

const linesOf = (file: string): readonly string[] =>
  readFileSync(join(FOLDER, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

export interface ExampleReport {
  readonly context: ReportContext;
  readonly input: unknown;
}

/** The files are our own, so their shape is known; the handler checks it all the same. */
export const exampleReports = (): readonly ExampleReport[] =>
  linesOf('reports.ndjson').map((line) => JSON.parse(line) as ExampleReport);

export type ExampleEvent = {
  [T in ProjectableType]: { readonly type: T; readonly event: SessionEvents[T] };
}[ProjectableType];

interface ExampleLine {
  readonly type: string;
  readonly event: Readonly<Record<string, unknown>>;
}

/** Written as people read them; on the wire the time is a number and the actor a symbol. */
export const exampleEvents = (): readonly ExampleEvent[] =>
  linesOf('projectable.ndjson').map((line) => {
    const { type, event } = JSON.parse(line) as ExampleLine;
    if (!(EVENTOS_DO_LOG_PROJETAVEIS as readonly string[]).includes(type))
      throw new TypeError('not a projectable type');
    return {
      type,
      event: { ...event, occurredAt: Date.parse(String(event.occurredAt)), actor: 'agent_anamnese' },
    } as unknown as ExampleEvent; // the encoder refuses a field that does not fit
  });
