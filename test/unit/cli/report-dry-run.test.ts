import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AGENTES, aContext, anInput, aReport, PROJECT, SESSION, uuids } from '../../support/builders.ts';
import { DETAILS, expectedOf, INPUT_AGENTS, reportLines } from '../../support/inputs.ts';
import { linesIn, type Ran, runCli, type RunWish } from '../../support/run-cli.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'deviations-report-'));
  writeFileSync(join(folder, 'agents.txt'), AGENTES.join('\n'));
  writeFileSync(join(folder, 'input-agents.txt'), INPUT_AGENTS.join('\r\n'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const dryRun = (stdin: RunWish['stdin'], agents = 'agents.txt', ...flags: readonly string[]): Promise<Ran> =>
  runCli(['report', '--dry-run', '--agents', join(folder, agents), ...flags], stdin === undefined ? {} : { stdin });

const answersOf = ({ stdout }: Ran): readonly Record<string, unknown>[] =>
  linesIn(stdout).map((line) => JSON.parse(line) as Record<string, unknown>); // the program's own output

const codesOf = (ran: Ran): readonly unknown[] => answersOf(ran).map(({ code, recorded }) => code ?? recorded);

const line = (report: unknown = aReport()): string => `${JSON.stringify(report)}\n`;

describe('deviations report --dry-run', () => {
  test('answers the record, field by field', async () => {
    const report = aReport({
      context: aContext({ traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }),
      input: anInput({ evidenceEventIds: [...uuids(2)].reverse(), why: 'it was me' }),
    });
    const ran = await dryRun(line(report));
    expect(ran).toMatchObject({ exitCode: 0, stderr: '1 recorded, 0 refused (dry run)\n' });
    const eventId = 'bc933a45-269d-500c-9802-8fbefb1da31c';
    expect(answersOf(ran)).toStrictEqual([
      {
        recorded: true,
        eventId,
        discardedFields: 1,
        evidence: { kept: 2, duplicates: 0, malformed: 0, unknown: 0, overCeiling: 0 },
        record: {
          key: SESSION,
          headers: {
            ce_specversion: '1.0',
            ce_id: eventId,
            ce_type: 'anamnese.agent_deviation',
            ce_source: '/anamnese',
            ce_subject: SESSION,
            ce_time: '2026-11-30T12:00:00.123Z',
            ce_tipo: 'laco',
            ce_agente: 'desenvolvedor',
            'content-type': 'application/avro',
            traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
          },
          value: expect.stringMatching(/^0000000000(?:[0-9a-f]{2})+$/),
          schemaId: null,
          decoded: {
            eventId,
            sessionId: SESSION,
            projectId: PROJECT,
            occurredAt: '2026-11-30T12:00:00.123Z',
            actor: 'agent/anamnese',
            agente: 'desenvolvedor',
            tipo: 'laco',
            evidenceEventIds: uuids(2),
          },
        },
      },
    ]);
  });

  test('answers each line, in order, and a line that is unreadable as such', async () => {
    const pieces = [
      Buffer.from(line()),
      Buffer.from('\n'),
      Buffer.from('   \n'),
      Buffer.from('not JSON\n'),
      Buffer.from('[]\nnull\n"text"\n7\n'),
      Buffer.from(`\ufeff${line()}`),
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n')]),
      Buffer.from('{}\n'),
      Buffer.from(line({ context: aContext() })),
      Buffer.from(line(aReport({ context: aContext({ toolCallId: 'call_2' }) })).trimEnd()),
    ];
    const ran = await dryRun(pieces);
    const unreadable = Array.from({ length: 7 }, () => 'REPORT_UNREADABLE');
    expect(codesOf(ran)).toEqual([
      true,
      ...unreadable,
      'REPORT_UNREADABLE',
      'REPORT_UNREADABLE',
      'CONTEXT_INVALID',
      'INPUT_NOT_AN_OBJECT',
      true,
    ]);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '2 recorded, 11 refused (dry run)\n' });
  });

  test('takes a line of 16 MiB, and tells one byte more as unreadable without holding it', async () => {
    const room = 16 * 1024 * 1024 - Buffer.byteLength(line(aReport({ input: anInput({ why: '' }) }))) + 1;
    const long = (more: number): Buffer =>
      Buffer.from(line(aReport({ input: anInput({ why: 'a'.repeat(room + more) }) })));
    expect(long(0).length).toBe(16 * 1024 * 1024 + 1);
    expect(codesOf(await dryRun([long(0), long(1), Buffer.from(line())]))).toEqual([true, 'REPORT_UNREADABLE', true]);
  });

  test('does not depend on where its input is cut', async () => {
    const whole = Buffer.from(line(aReport({ input: anInput({ 'por quê': 'ação 霧島 𝄞' }) })) + line());
    const bytes = [...whole].map((byte) => Buffer.from([byte]));
    expect((await dryRun(bytes)).stdout).toBe((await dryRun(whole)).stdout);
    expect(codesOf(await dryRun(bytes))).toEqual([true, true]);
  });

  test('judges each line alone: the same call twice is twice the same event', async () => {
    const answers = answersOf(await dryRun(line() + line()));
    expect(answers).toHaveLength(2);
    expect(answers[0]).toEqual(answers[1]);
  });

  test('refuses a report without the session’s events when the look-up is mandatory', async () => {
    const stdin = line() + line(aReport({ context: aContext({ sessionEventIds: [] }) }));
    expect(codesOf(await dryRun(stdin, 'agents.txt', '--require-evidence-lookup'))).toEqual(['CONTEXT_INVALID', true]);
  });

  test('answers nothing to nothing', async () => {
    expect(await dryRun('')).toEqual({ exitCode: 0, stdout: '', stderr: '0 recorded, 0 refused (dry run)\n' });
  });

  test('makes no file', async () => {
    const before = readdirSync(folder);
    await dryRun(line(), 'agents.txt', '--outbox', join(folder, 'outbox.db'));
    expect(readdirSync(folder)).toEqual(before);
  });

  test('lets none of the personal details of the model’s reports out, on either stream', async () => {
    const ran = await dryRun(`${reportLines('model').join('\n')}\n`, 'input-agents.txt');
    expect(answersOf(ran).map(({ recorded }) => (recorded === true ? 'recorded' : 'refused'))).toEqual(
      expectedOf('model').map(({ outcome }) => outcome),
    );
    expect(DETAILS.filter((detail) => (ran.stdout + ran.stderr).includes(detail))).toEqual([]);
  });
});
