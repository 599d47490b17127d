/**
 * Whether this machine's clock can be trusted: against a database server, and against the topic, whose newest record is
 * never younger than now. The topic alone cannot tell a clock that is ahead.
 */
import { type Check, fail, type Found, ok, skip, warn } from '../checkup/check.ts';
import type { Site } from '../checkup/site.ts';
import { ageOf } from '../checkup/words.ts';

/** Off by so much, in milliseconds, times cannot be compared by eye; off by more, what they say is wrong. */
const LIMITS = { warn: 2_000, fail: 30_000 } as const;

const NEXT = 'Set this clock, and have it kept: timedatectl set-ntp true';

const judge = (aheadMs: number, than: string): Found => {
  const size = Math.abs(aheadMs);
  const says = `this clock is ${ageOf(size)} ${aheadMs > 0 ? 'ahead of' : 'behind'} ${than}`;
  if (size > LIMITS.fail) return fail('CONFIG_INVALID', says, NEXT);
  return size > LIMITS.warn ? warn(says, NEXT) : ok(`agrees with ${than}`);
};

const againstDatabase = async (site: Site): Promise<Found | undefined> => {
  const aheadMs = await site.aheadOfDatabaseMs();
  return aheadMs === undefined ? undefined : judge(aheadMs, "the database's");
};

/** Undefined when the topic's times are its senders', or there is no record that is younger than it should be. */
const againstTopic = async (site: Site): Promise<Found | undefined> => {
  const [cluster, topic, ends] = await Promise.all([site.cluster(), site.topic(), site.ends()]);
  if (topic.settings.get('message.timestamp.type') !== 'LogAppendTime') return undefined;
  if (ends.every(({ start, end }) => start === end)) return undefined;
  for (const aheadMs of [LIMITS.fail, LIMITS.warn]) {
    const at = await cluster.offsetsAt(site.config.topic(), Date.now() + aheadMs);
    if (ends.some(({ partition, end }) => (at.get(partition) ?? end) < end)) return judge(-aheadMs - 1, "the broker's");
  }
  return ok("is not behind the broker's");
};

export const clockCheck = {
  name: 'clock',
  asks: 'broker',
  look: async (site) => {
    const looks = [againstDatabase(site), againstTopic(site)].map((look) => look.catch(() => undefined));
    const found = (await Promise.all(looks)).filter((one) => one !== undefined);
    const wrong = found.find(({ state }) => state === 'FAIL') ?? found.find(({ state }) => state === 'warn');
    if (wrong !== undefined) return wrong;
    return found.length === 0
      ? skip('nothing to compare with: needs a database server, or a topic with records')
      : ok(found.map(({ says }) => says).join(', '));
  },
} as const satisfies Check;
