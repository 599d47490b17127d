/** What the database says of the stream. */
import type { RecordedLoss } from '../../consumer/index.ts';
import { fail, type Check, ok } from './check.ts';
import { things } from './words.ts';

export const quarantineCheck = {
  name: 'quarantine',
  facts: ['quarantine.open'],
  asks: 'database',
  look: async (site) => {
    const open = await (await site.reader()).openQuarantine(site.config.topic());
    const total = open.reduce((sum, { count }) => sum + count, 0);
    const facts = {
      'quarantine.open': total,
      ...Object.fromEntries(
        open.map(({ consumer, reason, count }) => [`quarantine.open.${consumer}.${reason}`, count]),
      ),
    };
    if (total === 0) return ok('nothing open', facts);
    const reasons = open.map(({ consumer, reason, count }) => `${consumer} ${reason} ${count}`).join(', ');
    return fail('DATA_PROBLEM', `${total} open: ${reasons}`, 'See them: deviations quarantine list', facts);
  },
} as const satisfies Check;

const lossWords = ({ consumer, partition, from, to, why, adoptedAt }: RecordedLoss): string =>
  `${consumer} partition ${partition}, from offset ${from} to ${to}, ${why}, ${adoptedAt}`;

export const lossesCheck = {
  name: 'losses',
  facts: ['losses.count', 'losses.last'],
  asks: 'database',
  look: async (site) => {
    const losses = await (await site.reader()).losses(site.config.topic());
    const [last] = losses;
    const facts = { 'losses.count': losses.length, 'losses.last': last?.adoptedAt ?? null };
    // Decided and over: to be known, not to be mended.
    return ok(
      last === undefined ? 'none' : `${things(losses.length, 'position')} given up; the last: ${lossWords(last)}`,
      facts,
    );
  },
} as const satisfies Check;

export const lastEventCheck = {
  name: 'last',
  facts: ['last.occurredAt', 'last.recordedAt', 'last.tipo', 'last.agente', 'last.eventId'],
  asks: 'database',
  look: async (site) => {
    const [last] = await (await site.reader()).deviations({}, 1);
    const facts = {
      'last.occurredAt': last?.occurredAt ?? null,
      'last.recordedAt': last?.recordedAt ?? null,
      'last.tipo': last?.tipo ?? null,
      'last.agente': last?.agente ?? null,
      'last.eventId': last?.eventId ?? null,
    };
    if (last === undefined) return ok('no deviation is stored yet', facts);
    return ok(`${last.occurredAt} ${last.tipo} by ${last.agente}`, facts);
  },
} as const satisfies Check;
