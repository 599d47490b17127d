import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { type Answer, type Report, refused, serveMcp, toolDefinition } from '../../../../producer/index.ts';
import { silentLog } from '../../../../wire/index.ts';
import { waitFor } from '../../../support/wait-for.ts';

type Line = { readonly fits: true; readonly bytes: Buffer };

const CLOSED = refused('CLOSED');

const callText = (id: number, params: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${toolDefinition.name}",${params}}}`;

async function* asLines(texts: Iterable<string | Buffer>): AsyncGenerator<Line> {
  for (const text of texts) yield { fits: true, bytes: Buffer.from(text as string) }; // copies either
}

/** A server whose producer does what the test says, and whose answers are kept. */
const serve = async (texts: Iterable<string | Buffer>, report: (report: Report) => Promise<Answer>) => {
  const written: string[] = [];
  const session = await serveMcp({
    producer: { report },
    lines: asLines(texts),
    write: (line) => Promise.resolve(void written.push(line)),
    log: silentLog,
  });
  return { session, written };
};

describe('the MCP server', () => {
  test.each([
    ['a text', '"SAID"'],
    ['a list', '[1,{"a":2}]'],
    ['a number', '7'],
    ['null', 'null'],
    ['keys of the prototype', '{"__proto__":{"a":1},"constructor":2,"agente":"x","tipo":null}'],
    ['a deep object', '{"a":{"b":{"c":[[[]]]}}}'],
  ])('hands %s to the producer as it was said', async (_, text) => {
    const reports: Report[] = [];
    const { session } = await serve([callText(1, `"arguments":${text}`)], (report) => {
      reports.push(report);
      return Promise.resolve(CLOSED);
    });
    await session.ended;
    await session.answered();
    expect(reports.map(({ input }) => JSON.stringify(input))).toEqual([text]);
  });

  test('takes the context from its one place alone', async () => {
    const contexts: unknown[] = [];
    const params = [
      '"_meta":{"anamnese/context":{"a":1}},"arguments":{}',
      '"_meta":{"context":{"a":1}},"arguments":{"_meta":{"anamnese/context":1},"context":1}',
      '"anamnese/context":{"a":1},"context":{"a":1},"arguments":{}',
    ];
    const { session } = await serve(
      params.map((one, id) => callText(id, one)),
      ({ context }) => {
        contexts.push(context);
        return Promise.resolve(CLOSED);
      },
    );
    await session.ended;
    expect(contexts).toEqual([{ a: 1 }, undefined, undefined]);
  });

  test('reads on only while at most 64 calls are under way', async () => {
    const calls = Array.from({ length: 200 }, (_, id) => callText(id, '"arguments":{}'));
    const waiting: ((answer: Answer) => void)[] = [];
    let started = 0;
    const { session, written } = await serve(calls, () => {
      started += 1;
      return new Promise((resolve) => waiting.push(resolve));
    });
    await waitFor('64 calls under way', () => started === 64);
    for (let turn = 0; turn < 300; turn += 1) await nextTurn();
    expect(started).toBe(64);
    waiting.shift()?.(CLOSED);
    await waitFor('the next call', () => started === 65);
    await waitFor('all calls', () => {
      for (const answer of waiting.splice(0)) answer(CLOSED);
      return started === 200;
    });
    for (const answer of waiting.splice(0)) answer(CLOSED);
    await session.ended;
    await session.answered();
    expect(written).toHaveLength(200);
  });

  test('has written the last answer once it says that all are answered', async () => {
    let answer: (answer: Answer) => void = () => {};
    const { session, written } = await serve([callText(1, '"arguments":{}')], () => {
      const { promise, resolve } = Promise.withResolvers<Answer>();
      answer = resolve;
      return promise;
    });
    await session.ended;
    const answered = session.answered();
    answer(CLOSED);
    await answered;
    await session.close();
    expect(written).toHaveLength(1);
  });

  test('writes no answer after it is closed', async () => {
    let answer: (answer: Answer) => void = () => {};
    const { session, written } = await serve([callText(1, '"arguments":{}')], () => {
      const { promise, resolve } = Promise.withResolvers<Answer>();
      answer = resolve;
      return promise;
    });
    await session.ended;
    await session.close();
    answer(CLOSED);
    await session.answered();
    expect(written).toEqual([]);
  });

  test('refuses a line that is no UTF-8, and one that is too long, by a constant', async () => {
    const { session, written } = await serve([Buffer.from([0x22, 0xff, 0x22])], () => Promise.resolve(CLOSED));
    await session.ended;
    const tooLong = await serveMcp({
      producer: { report: () => Promise.resolve(CLOSED) },
      lines: (async function* () {
        yield { fits: false } as const;
      })(),
      write: (line) => Promise.resolve(void written.push(line)),
      log: silentLog,
    });
    await tooLong.ended;
    expect(written).toHaveLength(2);
    expect(written[0]).toBe(written[1]);
    expect(written[0]).toContain('-32700');
  });
});
