/** Whether what was accepted gets on its way. */
import { readOutboxStatus, type OutboxStatus } from '../../producer/index.ts';
import { isStreamError } from '../../wire/index.ts';
import { type Check, type Facts, fail, type Found, ok, skip } from './check.ts';
import { ageOf, isoTime, things } from './words.ts';

/** A relay sends within seconds; what waits longer waits for somebody. */
const PATIENCE_MS = 60_000;

/** In the order in which a report goes through. */
const factsOf = (status: OutboxStatus): Facts => ({
  'outbox.accepted': status.accepted,
  ...Object.fromEntries(Object.entries(status.refused).map(([code, count]) => [`outbox.refused.${code}`, count])),
  'outbox.repeatedSame': status.repeatedSame,
  'outbox.repeatedOther': status.repeatedOther,
  'outbox.waiting': status.waiting,
  'outbox.oldestWaiting': isoTime(status.oldestWaitingAtMs),
  'outbox.relayed': status.relayed,
  'outbox.retried': status.retried,
  'outbox.setAside': status.setAside,
  'outbox.discarded': status.discarded,
  'outbox.bytes': status.bytes,
  'outbox.relay': status.relay?.state ?? null,
  'outbox.relayCode': status.relay?.code ?? null,
  'outbox.relaySince': isoTime(status.relay?.sinceMs ?? null),
});

const relayOf = ({ relay }: OutboxStatus): string => {
  if (relay === null) return 'the relay never ran';
  const why = relay.code === null ? '' : ` for ${relay.code}`;
  return `relay ${relay.state}${why} since ${isoTime(relay.sinceMs)}`;
};

const judge = (status: OutboxStatus, nowMs: number): Found => {
  const { waiting, setAside, oldestWaitingAtMs, relay } = status;
  const waitedMs = oldestWaitingAtMs === null ? 0 : nowMs - oldestWaitingAtMs;
  const oldest = oldestWaitingAtMs === null ? '' : `, the oldest for ${ageOf(waitedMs)}`;
  const says = `${waiting} waiting${oldest}, ${setAside} set aside; ${relayOf(status)}`;
  const facts = factsOf(status);
  if (waiting > 0 && relay?.state === 'holding') {
    return fail('NOT_DRAINED', says, 'See what it waits for: deviations doctor', facts);
  }
  if (waitedMs > PATIENCE_MS) {
    return fail('NOT_DRAINED', says, 'Start the producer, or send them now: deviations report < /dev/null', facts);
  }
  if (setAside > 0) {
    return fail('DATA_PROBLEM', says, `See ${things(setAside, 'row')}: deviations outbox list`, facts);
  }
  return ok(says, facts);
};

const FACTS = Object.keys(
  factsOf({
    accepted: 0,
    refused: {},
    repeatedSame: 0,
    repeatedOther: 0,
    relayed: 0,
    retried: 0,
    setAside: 0,
    discarded: 0,
    waiting: 0,
    oldestWaitingAtMs: null,
    bytes: 0,
    relay: null,
  }),
);

export const outboxCheck: Check<'outbox'> = {
  name: 'outbox',
  asks: 'files',
  facts: FACTS,
  look: ({ config }) => {
    try {
      return judge(readOutboxStatus(config.outboxFile()), Date.now());
    } catch (error) {
      // The producer may well live elsewhere; a file that was named must be there.
      if (isStreamError(error) && error.code === 'OUTBOX_MISSING' && !config.isGiven('OUTBOX_FILE')) {
        return skip(`no producer has run here: there is no file ${config.outboxFile()}`);
      }
      throw error;
    }
  },
};
