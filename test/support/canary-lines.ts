/** Lines of `deviations report`: a report as JSON, and lines that are none. */
import type { Planter } from './canary-plants.ts';
import type { Random } from './canary-random.ts';

const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** Without a line end inside. */
const oneLine = (text: string): string => text.replaceAll('\n', ' ');

/** `isRare`: this call may be a large one. */
export const unreadableLine = (plant: Planter, random: Random, isRare: boolean): Buffer => {
  const place = 'line that is no report';
  const word = (): string => plant.bare(place);
  if (isRare) return Buffer.from(`{"x":"${'x'.repeat(MAX_LINE_BYTES)}${word()}"}`);
  return random.pick<() => Buffer>([
    () => Buffer.from(word()),
    () => Buffer.from(`{"context":{"sessionId":"${word()}"`),
    () => Buffer.from(`["${word()}"]`),
    () => Buffer.from(`"${word()}"`),
    () =>
      Buffer.concat([
        Buffer.from(`{"input":{"agente":"${word()}`),
        Buffer.from([0xff, 0xfe, 0xc3]),
        Buffer.from('"}}'),
      ]),
    () => Buffer.from(`\u{feff}{"input":"${word()}"}`),
    () => Buffer.from(`{"input":"${word()}"}`, 'utf16le'),
    () => Buffer.from(`{'agente': '${word()}'}`),
    () => Buffer.from(`{"a":1}{"b":"${word()}"}`),
    () => Buffer.from(`\u0000${word()}\r`),
  ])();
};

/** A call of the MCP tool; what stood beside context and input stands in `_meta`. */
export const messageLine = (report: unknown, id: number): Buffer => {
  const { context, input, ...others } = report as Readonly<Record<string, unknown>>; // drafted as an object of JSON
  const meta = { ...others, 'anamnese/context': context };
  const params = { name: 'report_agent_deviation', arguments: input, _meta: meta };
  return Buffer.from(oneLine(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })));
};

/** A line that is no message, or one of another tool or method; each has one answer. */
export const wrongMessage = (plant: Planter, random: Random, isRare: boolean): Buffer => {
  if (isRare || random.chance(0.4)) return unreadableLine(plant, random, isRare);
  const word = plant.bare('message that is no call');
  const right = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'report_agent_deviation' } };
  return Buffer.from(
    JSON.stringify(
      random.pick<object>([
        { ...right, params: { name: word } },
        { ...right, method: word },
        { ...right, method: `tools/${word}`, params: { [word]: word } },
        { ...right, params: word },
        { ...right, jsonrpc: word },
        { ...right, method: { [word]: 1 } },
        { ...right, method: 'tools/list', params: { cursor: word } },
      ]),
    ),
  );
};

/** A JSON text with a key given twice: the last one counts, the first one must be as if it had not been. */
const withRepeatedKey = (line: string, plant: Planter): string => {
  return `{"input":"${plant.bare('key given twice')}",${line.slice(1)}`;
};

export const reportLine = (report: unknown, plant: Planter, random: Random): Buffer => {
  const line = oneLine(JSON.stringify(report));
  return Buffer.from(random.chance(0.05) && line.startsWith('{"') ? withRepeatedKey(line, plant) : line);
};
