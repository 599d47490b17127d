import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  AGENT_DEVIATION,
  type AgentDeviation,
  EVENT_TYPES,
  loadSchemaText,
  publishedTexts,
  TIME_WINDOW,
  TIPOS,
} from '../../../schemas/index.ts';
import { createDecoder } from '../../../wire/codec.ts';
import { createEncoder } from '../../../wire/index.ts';
import { preparePeer } from '../../peers/fastavro.ts';
import { aDeviation, anEventOf, uuids } from '../../support/builders.ts';

const GOLDEN = JSON.parse(readFileSync(join(import.meta.dirname, 'golden', 'agent-deviation.v1.json'), 'utf8')) as {
  readonly [evidence: string]: string; // our own file
};
/** The text that the golden bytes were written by, whatever the tree says today. */
const VERSION_1 = publishedTexts(AGENT_DEVIATION)[0] ?? '';

const peer = await preparePeer();
const isCi = Boolean(process.env['CI']);
if (!peer.works && !isCi) process.stderr.write(`another-avro-reads-the-golden-bytes: skipped, ${peer.because}\n`);
const ask: (typeof peer & { works: true })['ask'] = peer.works
  ? peer.ask
  : () => Promise.reject(new Error(`no fastavro: ${peer.because}`));

const COUNTS = [0, 1, 3, 20] as const;
const EVENTS: readonly AgentDeviation[] = [
  ...TIPOS.flatMap((tipo) => COUNTS.map((count) => aDeviation({ tipo, evidenceEventIds: uuids(count) }))),
  aDeviation({ occurredAt: TIME_WINDOW.fromMs }),
  aDeviation({ occurredAt: TIME_WINDOW.toMs - 1 }),
  aDeviation({ agente: 'a'.repeat(32) }),
];
const encoder = createEncoder(AGENT_DEVIATION);
const hexOf = (event: AgentDeviation): string => encoder.encode(event).toString('hex');

// In CI a peer that cannot be had is a failure, so there the tests run and say why.
const describeWithPeer = peer.works || isCi ? describe : describe.skip;

describeWithPeer('another implementation of Avro', () => {
  test('reads the golden bytes of version 1, every field, and writes the same', async () => {
    const events = COUNTS.map((count) => aDeviation({ evidenceEventIds: uuids(count) }));
    const bodies = COUNTS.map((count) => GOLDEN[count] ?? '');
    const answer = await ask({ schema: VERSION_1, bodies, values: events });
    expect(answer.read).toStrictEqual(events);
    expect(answer.written).toEqual(bodies);
  });

  test('reads what our encoder writes, for every kind and every number of evidence', async () => {
    const { read } = await ask({ schema: loadSchemaText(AGENT_DEVIATION), bodies: EVENTS.map(hexOf), values: [] });
    expect(read).toStrictEqual(EVENTS);
  });

  test('writes what our decoder reads, the same bytes as ours', async () => {
    const { written } = await ask({ schema: loadSchemaText(AGENT_DEVIATION), bodies: [], values: EVENTS });
    expect(written).toEqual(EVENTS.map(hexOf));
    const decoder = createDecoder(AGENT_DEVIATION, VERSION_1);
    expect(written.map((hex) => decoder.decode(Buffer.from(hex, 'hex')))).toStrictEqual(
      EVENTS.map((event) => ({ readable: true, event })),
    );
  });

  test.each(EVENT_TYPES)('agrees with ours about %s', async (type) => {
    const event = anEventOf[type]();
    const body = createEncoder(type)
      .encode(event as never)
      .toString('hex'); // of this type
    const answer = await ask({ schema: loadSchemaText(type), bodies: [body], values: [event] });
    expect(answer).toEqual({ read: [event], written: [body] });
  });

  test('has a mind of its own: by another order of the symbols it reads another kind, and it refuses a body cut short', async () => {
    const symbols = '["laco", "cancelamento_pelo_usuario", "reparo_pelo_usuario"]';
    expect(VERSION_1).toContain(symbols);
    const schema = VERSION_1.replace(symbols, '["reparo_pelo_usuario", "cancelamento_pelo_usuario", "laco"]');
    const body = hexOf(aDeviation({ tipo: 'laco' }));
    const { read } = await ask({ schema, bodies: [body], values: [] });
    expect(read).toEqual([aDeviation({ tipo: 'reparo_pelo_usuario' })]);
    await expect(ask({ schema, bodies: [body.slice(0, -2)], values: [] })).rejects.toThrow('fastavro refused');
    await expect(ask({ schema, bodies: [`${body}00`], values: [] })).rejects.toThrow('bytes are left over');
  });
});
