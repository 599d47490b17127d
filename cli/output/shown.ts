/** How `tail` shows one thing after another: a row of the table, a deviation that has just arrived, an unreadable record. */
import type { Arrived, FromTopic, Shown } from '../../consumer/index.ts';
import { AGENT_ID_MAX_LENGTH } from '../../schemas/index.ts';
import { DEVIATION_COLUMNS, deviationJson } from './deviations.ts';
import { type Column, type Format, linesOf, type Listing } from './format.ts';
import type { Screen } from './screen.ts';
import { widthOf, wrapped } from './text-width.ts';

type Unreadable = Extract<Arrived, { readonly kind: 'unreadable' }>;

/** In the columns of a deviation, for tab-separated lines: when, why, and where. */
const unreadableCells = ({ place, pointer, fromTopic }: Unreadable): Readonly<Record<string, string>> => ({
  occurredAt: fromTopic.recordTime,
  tipo: pointer.reason,
  agente: 'unreadable',
  evidence: '',
  sessionId: `${place.topic}/${place.partition}/${pointer.offset}`,
  eventId: `${pointer.size} bytes`,
});

/** What an arrived one lacks: nobody has recorded it yet as far as this knows. */
const asStored = (shown: Exclude<Shown, Unreadable>) => ({ recordedAt: '', ...shown.deviation });

const COLUMNS: readonly Column<Shown>[] = DEVIATION_COLUMNS.map(
  ({ heading, of, brief = of, isNumber = false, isWhole = false, spared }): Column<Shown> => ({
    heading,
    isNumber,
    isWhole,
    ...(spared === undefined ? {} : { spared }),
    of: (shown) => (shown.kind === 'unreadable' ? (unreadableCells(shown)[heading] ?? '') : of(asStored(shown))),
    brief: (shown) => (shown.kind === 'unreadable' ? '' : brief(asStored(shown))),
  }),
);

const topicMeta = (from: FromTopic | undefined) => ({
  recordTime: from?.recordTime ?? null,
  key: from?.key ?? null,
});

const topicFields = (from: FromTopic | undefined) => ({
  _headers: from?.headers ?? null,
  _otherHeaders: from?.otherHeaders ?? null,
});

/** One shape for all: what is not known of one is null. */
const toJson = (shown: Shown): Readonly<Record<string, unknown>> => {
  if (shown.kind === 'unreadable') {
    const { place, pointer, fromTopic } = shown;
    return {
      unreadable: { reason: pointer.reason, size: pointer.size },
      _meta: {
        topic: place.topic,
        partition: place.partition,
        offset: Number(pointer.offset),
        schemaId: pointer.schemaId ?? null,
        recordedAt: null,
        ...topicMeta(fromTopic),
      },
      ...topicFields(fromTopic),
    };
  }
  const fromTopic = shown.kind === 'deviation' ? shown.fromTopic : undefined;
  const { _meta, ...event } = deviationJson(asStored(shown));
  const recorded = shown.kind === 'stored' ? {} : { recordedAt: null };
  return { ...event, _meta: { ...(_meta as object), ...recorded, ...topicMeta(fromTopic) }, ...topicFields(fromTopic) };
};

export const shownListing = (records: readonly Shown[]): Listing<Shown> => ({ records, columns: COLUMNS, toJson });

/** Lines of its own, whatever the width: place, reason and size are not to be cut. */
const unreadableLines = (
  { place, pointer, fromTopic }: Unreadable,
  { glyphs, paint, width }: Screen,
): readonly string[] => {
  const parts = [
    `${glyphs.warn} unreadable: ${place.topic}`,
    `partition ${place.partition} offset ${pointer.offset}`,
    pointer.reason,
    `${pointer.size} bytes`,
    fromTopic.recordTime,
  ];
  const lines: string[] = [];
  for (const part of parts) {
    const joined = lines.length === 0 ? part : `${lines.at(-1)}, ${part}`;
    if (lines.length > 0 && widthOf(joined) <= width) lines.splice(-1, 1, joined);
    else lines.push(...wrapped(lines.length === 0 ? part : `  ${part}`, width));
  }
  return lines.map((line) => paint.yellow(line));
};

/** As wide as rows get: each is laid out beside it, so that all of a run have the same columns. */
const WIDEST: Shown = {
  kind: 'stored',
  deviation: {
    eventId: 'e'.repeat(36),
    sessionId: 's'.repeat(36),
    projectId: '',
    occurredAt: '2026-11-30T12:00:00.123Z',
    actor: '',
    agente: 'a'.repeat(AGENT_ID_MAX_LENGTH),
    tipo: 'cancelamento_pelo_usuario',
    evidenceEventIds: Array.from({ length: 20 }, () => ''),
    topic: '',
    partition: 0,
    offset: '0',
    schemaId: 0,
    contentHash: '',
    traceId: null,
    recordedAt: '',
  },
};

/** The lines for one, and the headings before the first. */
export const createShownPrinter = (format: Format, screen: Screen) => {
  let isFirst = true;
  const rowLines = async (shown: Shown): Promise<readonly string[]> => {
    const lines = await linesOf(shownListing(format === 'table' ? [WIDEST, shown] : [shown]), format, screen);
    if (format !== 'table') return format === 'csv' && !isFirst ? lines.slice(1) : lines;
    const [heading = ''] = lines;
    return isFirst ? [heading, ...lines.slice(2)] : lines.slice(2);
  };
  return async (shown: Shown): Promise<void> => {
    if (format === 'table' && shown.kind === 'unreadable') {
      for (const line of unreadableLines(shown, screen)) await screen.print(line);
      return;
    }
    for (const line of await rowLines(shown)) await screen.print(line);
    isFirst = false;
  };
};
