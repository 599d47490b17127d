/** What `status` shows, a line a part, in the order in which an event goes through. */
import type { Consumer } from '../../wire/index.ts';
import { type Check, type Facts, fail, type Found, ok, skip } from '../checkup/check.ts';
import { groupFacts, judgeGroup, judgePosition, lagSecondsOf, lagWords, standingIn } from '../checkup/consumers.ts';
import { outboxCheck } from '../checkup/outbox.ts';
import type { Standing } from '../checkup/standing.ts';
import { lastEventCheck, lossesCheck, quarantineCheck } from '../checkup/stored.ts';
import { things } from '../checkup/words.ts';

const topicPart = {
  name: 'topic',
  facts: ['topic.name', 'topic.partitions', 'topic.records', 'topic.end'],
  asks: 'broker',
  look: async (site) => {
    const ends = await site.ends();
    const records = ends.reduce((sum, { start, end }) => sum + Number(end - start), 0);
    const next = ends.reduce((sum, { end }) => sum + Number(end), 0);
    const facts = { 'topic.name': site.config.topic(), 'topic.partitions': ends.length };
    return ok(`${site.config.topic()}: ${things(ends.length, 'partition')}, ${things(records, 'record')}`, {
      ...facts,
      'topic.records': records,
      'topic.end': next,
    });
  },
} as const satisfies Check;

const databasePart = {
  name: 'database',
  facts: ['database.version'],
  asks: 'database',
  look: async (site) => {
    const inspector = await site.inspector();
    const { place } = inspector;
    const { has, wants } = await inspector.versions();
    const facts = { 'database.version': has };
    return has < wants
      ? fail(
          'DATABASE_NOT_MIGRATED',
          `${place} is at version ${has} of ${wants}`,
          'Bring it up to date: deviations migrate',
          facts,
        )
      : ok(`${place}, at version ${has}`, facts);
  },
} as const satisfies Check;

/** What a question says when it was answered; the line of the one that was asked says why it was not. */
const ifKnown = <T>(question: Promise<T>): Promise<T | undefined> => question.catch(() => undefined);

const lagFacts = (consumer: Consumer, standing: Standing | undefined, lagSeconds: number | undefined): Facts => ({
  [`${consumer}.lagRecords`]: standing?.lagRecords ?? null,
  [`${consumer}.lagSeconds`]: lagSeconds ?? null,
  [`${consumer}.positionsLost`]: standing?.lost.length ?? null,
  [`${consumer}.commitsAhead`]: standing?.ahead.length ?? null,
});

/** A halted consumer has no member either, and its halt says more; one that is well says how far it is. */
const worst = (group: Found | undefined, position: Found | undefined): Found => {
  if (position?.code !== undefined) return position;
  if (group === undefined) return skip(position === undefined ? 'needs topic' : `${position.says}; needs topic`);
  const lag = position === undefined ? 'how far it has read is not known: needs topic and database' : position.says;
  return { ...group, says: `${group.says}; ${lag}` };
};

const CONSUMER_FACTS = [
  'group',
  'groupState',
  'members',
  'lagRecords',
  'lagSeconds',
  'positionsLost',
  'commitsAhead',
] as const;

const consumerPart = (consumer: Consumer): Check =>
  ({
    name: consumer,
    facts: CONSUMER_FACTS.map((fact) => `${consumer}.${fact}`),
    asks: 'broker',
    look: async (site) => {
      const [isThere, standing] = await Promise.all([
        ifKnown(site.group(consumer).then((group) => ({ group }))),
        ifKnown(standingIn(site, consumer)),
      ]);
      const lagSeconds = standing === undefined ? undefined : await ifKnown(lagSecondsOf(site, standing));
      const name = site.groups[consumer];
      const found = worst(
        isThere && judgeGroup(consumer, name, isThere.group, standing?.hasRun ?? false),
        standing && judgePosition(standing, lagWords(standing, lagSeconds)),
      );
      const facts = {
        ...(isThere && groupFacts(consumer, name, isThere.group)),
        ...lagFacts(consumer, standing, lagSeconds),
      };
      return { ...found, facts };
    },
  }) satisfies Check;

export const PARTS: readonly Check[] = [
  outboxCheck,
  topicPart,
  databasePart,
  consumerPart('sink'),
  consumerPart('graph'),
  { ...quarantineCheck, needs: ['database'] },
  { ...lossesCheck, needs: ['database'] },
  { ...lastEventCheck, needs: ['database'] },
];
