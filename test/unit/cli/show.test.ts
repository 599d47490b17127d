import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ExampleTable, exampleTable } from '../../support/example-table.ts';
import { linesIn, type Ran, runCli } from '../../support/run-cli.ts';
import { EXPECTED_EVENTS } from '../../support/stack-examples.ts';

let table: ExampleTable;
beforeAll(async () => {
  table = await exampleTable();
});
afterAll(() => table.remove());

const show = (args: readonly string[]): Promise<Ran> => runCli(['show', ...args], { env: table.env });

/** Two reports of one session that name some of the same events. */
const [EVENT] = EXPECTED_EVENTS.filter((event) =>
  EXPECTED_EVENTS.some(
    (other) =>
      other.eventId !== event.eventId && other.evidenceEventIds.some((id) => event.evidenceEventIds.includes(id)),
  ),
);
if (EVENT === undefined) throw new Error('no two examples name the same event');

const namedByOthers = (id: string): number =>
  EXPECTED_EVENTS.filter(({ eventId, evidenceEventIds }) => eventId !== EVENT.eventId && evidenceEventIds.includes(id))
    .length;

describe('deviations show', () => {
  test('shows the row, says what it did not read and which setting that takes, and ends with 0', async () => {
    const ran = await show([EVENT.eventId.toUpperCase(), '-o', 'tsv']);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    const fields = linesIn(ran.stdout).map((line) => line.split('\t'));
    expect(fields).toEqual(
      expect.arrayContaining([
        ['eventId', EVENT.eventId],
        ['agente', EVENT.agente],
        ['record', 'not read: set KAFKA_BROKERS to see it, and its headers'],
        ['schema', 'id 1; set SCHEMA_REGISTRY_URL to see its version'],
        ...EVENT.evidenceEventIds.map((id) => ['evidenceEventId', id]),
      ]),
    );
  });

  test('knows of each id of evidence how many others name it', async () => {
    const ran = await show([EVENT.eventId, '-o', 'ndjson']);
    const shown = JSON.parse(ran.stdout) as { readonly _evidence: readonly unknown[] }; // ours
    expect(shown._evidence).toEqual(
      EVENT.evidenceEventIds.map((eventId) => ({ eventId, stored: null, namedByOthers: namedByOthers(eventId) })),
    );
    expect(EVENT.evidenceEventIds.some((id) => namedByOthers(id) > 0)).toBe(true);
  });

  test.each([
    ['table', ''],
    ['tsv', ''],
    ['ndjson', ''],
    ['json', '[]\n'],
  ])('as %s of an id that is not stored says where else to look, with 0, or 6 when asked', async (format, stdout) => {
    const unknown = ['018f0000-0000-7000-8000-000000000001', '-o', format];
    const ran = await show(unknown);
    expect(ran).toMatchObject({ exitCode: 0, stdout });
    expect(ran.stderr).toMatch(/^018f0000-\S+ is not stored\. .*deviations status\n.*deviations quarantine list\n$/);
    expect((await show([...unknown, '--fail-if-empty'])).exitCode).toBe(6);
  });

  test.each([[EVENT.eventId.slice(0, 8)], [`${EVENT.eventId}0`], ['']])('takes no part of an id: %j', async (id) => {
    const ran = await show([id]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('Give a whole event id, 8-4-4-4-12 hexadecimal digits');
  });
});
