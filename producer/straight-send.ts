/** The recorder that keeps nothing: it answers after the broker's acknowledgement, or that there was none in time. */
import { AGENT_DEVIATION } from '../schemas/index.ts';
import {
  codeOf,
  frame,
  type kafka,
  type Log,
  type Registry,
  registeredId,
  type SchemaId,
  within,
} from '../wire/index.ts';
import type { OutgoingDeviation } from './outgoing.ts';
import type { Recorder, Recording } from './recorder.ts';

/** Without an acknowledgement by then the report is refused, though the event may be on the topic; in milliseconds. */
export const SEND_LIMIT_MS = 10_000;

const UNAVAILABLE: Recording = { kept: false, code: 'OUTBOX_UNAVAILABLE' };

export const createStraightSend = (
  sender: kafka.Sender,
  registry: Pick<Registry, 'idOfText' | 'hasSubject'>,
  log: Log,
  limitMs: number = SEND_LIMIT_MS,
): Recorder => {
  let schemaId: Promise<SchemaId> | undefined;
  const inFlight = new Set<Promise<void>>();

  const registered = (): Promise<SchemaId> => {
    schemaId ??= registeredId(registry, AGENT_DEVIATION).catch((error: unknown) => {
      schemaId = undefined; // an outage is asked about again by the next report
      throw error;
    });
    return schemaId;
  };

  const send = async ({ key, headers, body }: OutgoingDeviation): Promise<void> => {
    await sender.send([{ key, headers, value: frame(await registered(), body) }]);
  };

  const settled = (limit: number): Promise<number> =>
    within(
      limit,
      Promise.allSettled(inFlight).then(() => inFlight.size),
      () => inFlight.size,
    );

  return {
    record: (deviation) => {
      const sending = send(deviation).finally(() => inFlight.delete(sending));
      inFlight.add(sending);
      const answer = sending.then(
        (): Recording => ({ kept: true }),
        (error: unknown): Recording => {
          log.warn('a report could not be sent', { code: codeOf(error) });
          return UNAVAILABLE;
        },
      );
      return within(limitMs, answer, () => UNAVAILABLE);
    },
    flush: settled,
    close: async (limit) => {
      const waiting = await settled(limit);
      await within(limit, sender.close(), () => {});
      return waiting;
    },
  };
};
