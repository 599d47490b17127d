/**
 * The judge of every fault: what the outbox accepted is in the table exactly once, or set aside; nothing else is in the
 * table; in the order in which the session reported it; and the outbox's own numbers say the same.
 */
import { listAside, type OutboxStatus, readOutboxStatus } from '../../producer/index.ts';
import type { AcceptedReport } from './faults-load.ts';
import { select } from './stack-database.ts';

export interface Verdict {
  /** Accepted, and neither in the table nor set aside. */
  readonly missing: readonly string[];
  /** In the table, and never accepted; or set aside as well. */
  readonly extra: readonly string[];
  readonly doubled: readonly string[];
  /** Sessions whose rows lie on the topic in another order than they were reported in. */
  readonly disordered: readonly string[];
  /** What the outbox counted otherwise than it was. */
  readonly miscounted: readonly string[];
}

export const NOTHING_WRONG: Verdict = { missing: [], extra: [], doubled: [], disordered: [], miscounted: [] };

export interface Judged {
  readonly verdict: Verdict;
  readonly accepted: number;
  readonly stored: number;
  readonly setAside: number;
}

const miscountsOf = (status: OutboxStatus, accepted: number, setAside: number): readonly string[] => {
  const { accepted: counted, relayed, discarded, waiting, setAside: aside, bytes } = status;
  return [
    ...(counted === accepted ? [] : [`accepted ${counted} instead of ${accepted}`]),
    ...(relayed + discarded + waiting + aside === counted ? [] : [`${relayed} relayed of ${counted} accepted`]),
    ...(waiting === 0 ? [] : [`${waiting} still wait`]),
    ...(aside === setAside ? [] : [`${aside} set aside instead of ${setAside}`]),
    ...(bytes === 0 || aside > 0 ? [] : [`${bytes} bytes in an empty outbox`]),
  ];
};

export const judge = (
  accepted: readonly AcceptedReport[],
  sessionIds: readonly string[],
  outboxFile: string,
  databaseFile: string,
): Judged => {
  const sessions = sessionIds.map((id) => `'${id}'`).join(', ');
  const rows = select(
    databaseFile,
    `select id, session_id, log_offset from session_events where session_id in (${sessions}) order by partition, log_offset`,
  ).map(({ id, session_id }) => ({ eventId: String(id), sessionId: String(session_id) }));
  const aside = new Set(listAside(outboxFile).map(({ eventId }) => eventId));
  const stored = rows.map(({ eventId }) => eventId);
  const acceptedIds = new Set(accepted.map(({ eventId }) => eventId));
  const storedIds = new Set(stored);

  const disordered = sessionIds.filter((sessionId) => {
    const here = rows.filter((row) => row.sessionId === sessionId).map(({ eventId }) => eventId);
    const reported = accepted
      .filter((report) => report.sessionId === sessionId && storedIds.has(report.eventId))
      .map(({ eventId }) => eventId);
    return here.some((eventId, index) => reported[index] !== eventId);
  });
  return {
    accepted: acceptedIds.size,
    stored: storedIds.size,
    setAside: aside.size,
    verdict: {
      missing: [...acceptedIds].filter((id) => !storedIds.has(id) && !aside.has(id)),
      extra: [...storedIds].filter((id) => !acceptedIds.has(id) || aside.has(id)),
      doubled: stored.filter((id, index) => stored.indexOf(id) !== index),
      disordered,
      miscounted: miscountsOf(readOutboxStatus(outboxFile), acceptedIds.size, aside.size),
    },
  };
};
