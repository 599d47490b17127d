/** What the examples become, worked out from the files by rules written down here once more, without the program's code. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { linesOf, REPOSITORY } from './processes.ts';

const read = (file: string): string => readFileSync(join(REPOSITORY, 'examples', file), 'utf8');

export const REPORTS_TEXT = read('reports.ndjson');

interface ReportLine {
  readonly context: {
    readonly sessionId: string;
    readonly projectId: string;
    readonly toolCallId: string;
    readonly occurredAt?: string;
  };
}

interface ExpectedLine {
  readonly line: number;
  readonly outcome: 'recorded' | 'refused';
  readonly agente: string;
  readonly tipo: string;
  readonly evidenceEventIds: readonly string[];
  readonly sameEventAsLine?: number;
}

export interface ExpectedEvent {
  readonly eventId: string;
  readonly sessionId: string;
  readonly projectId: string;
  /** Undefined when the engine gave no clock. */
  readonly occurredAt: string | undefined;
  readonly agente: string;
  readonly tipo: string;
  readonly evidenceEventIds: readonly string[];
}

/** UUID v5 by RFC 9562: SHA-1 of the namespace's bytes and the name, with version and variant set. */
const uuidV5 = (namespace: string, name: string): string => {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
    .subarray(0, 16);
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

const reports = linesOf(REPORTS_TEXT).map((line) => JSON.parse(line) as ReportLine); // our own files
const expectations = linesOf(read('expected.ndjson')).map((line) => JSON.parse(line) as ExpectedLine);

/** One per line of the reports. */
export const EXPECTED_ANSWERS: readonly { readonly recorded: boolean }[] = expectations.map(({ outcome }) => ({
  recorded: outcome === 'recorded',
}));

export const RECORDED = expectations.filter(({ outcome }) => outcome === 'recorded').length;

/** One per event, the first report of it standing, in the order of the file. */
export const EXPECTED_EVENTS: readonly ExpectedEvent[] = expectations
  .filter(({ outcome, sameEventAsLine }) => outcome === 'recorded' && sameEventAsLine === undefined)
  .map(({ line, agente, tipo, evidenceEventIds }) => {
    const context = reports[line - 1]?.context;
    if (context === undefined) throw new Error(`reports.ndjson has no line ${line}`);
    const { sessionId, projectId, toolCallId, occurredAt } = context;
    return {
      eventId: uuidV5(sessionId, toolCallId),
      sessionId,
      projectId,
      occurredAt: occurredAt === undefined ? undefined : new Date(occurredAt).toISOString(),
      agente,
      tipo,
      evidenceEventIds,
    };
  });
