/** Whether a consumer runs, and whether the place where it stands is still in the log. */
import type { Consumer, kafka } from '../../wire/index.ts';
import { ASSIGNERS } from '../../wire/names.ts';
import { fail, type Facts, type Found, ok, skip, warn } from './check.ts';
import type { Site } from './site.ts';
import { type Standing, standingOf } from './standing.ts';
import { ageOf, things } from './words.ts';

export const groupFacts = (consumer: Consumer, name: string, group: kafka.GroupShape | undefined): Facts => ({
  [`${consumer}.group`]: name,
  [`${consumer}.groupState`]: group?.state ?? 'absent',
  [`${consumer}.members`]: group?.members ?? 0,
});

/** `hasRun`: it stored a position or committed one, some time. */
export const judgeGroup = (
  consumer: Consumer,
  name: string,
  group: kafka.GroupShape | undefined,
  hasRun: boolean,
): Found => {
  if (group === undefined || group.members === 0) {
    // The table is filled by the sink; a graph is not everybody's.
    if (consumer === 'graph' && !hasRun && group === undefined) return skip('it never ran here');
    return fail('CONSUMER_AWAY', `no member in group ${name}`, `Start it: deviations ${consumer}`);
  }
  const says = `${things(group.members, 'member')} in group ${name}, ${group.state}`;
  if (group.assigner !== undefined && group.assigner !== ASSIGNERS[consumer]) {
    return fail(
      'CONFIG_INVALID',
      `${says}, with the assigner of something else`,
      `Stop what is in it, or give the ${consumer} a group of its own: deviations ${consumer} --group NAME`,
    );
  }
  return group.state === 'Stable' ? ok(says) : warn(says, 'It is settling: look again in a few seconds');
};

export const standingIn = async (site: Site, consumer: Consumer): Promise<Standing> => {
  const [ends, positions, committed] = await Promise.all([site.ends(), site.positions(), site.committed(consumer)]);
  return standingOf(consumer, site.config.topic(), ends, positions, committed);
};

export const lagWords = ({ lagRecords }: Standing, lagSeconds: number | undefined): string => {
  if (lagRecords === 0) return 'nothing unread';
  const age = lagSeconds === undefined ? '' : `, the oldest for ${ageOf(lagSeconds * 1_000)}`;
  return `${things(lagRecords, 'record')} unread${age}`;
};

/** In seconds, since when the first record that it has not read is there. */
export const lagSecondsOf = async (site: Site, { unread }: Standing): Promise<number> => {
  if (unread.size === 0) return 0;
  const nowMs = Date.now();
  const since = await (await site.cluster()).oldestArrival(site.config.topic(), unread, nowMs);
  return Math.floor((nowMs - since) / 1_000);
};

/** `lag`: what there is to say of it when nothing is wrong. */
export const judgePosition = (standing: Standing, lag: string): Found => {
  const [halt] = standing.lost;
  if (halt !== undefined) {
    const more = standing.lost.length === 1 ? '' : ` (and ${things(standing.lost.length - 1, 'partition')} more)`;
    return fail('HALTED', `${halt.where}${more}`, halt.next);
  }
  if (standing.ahead.length > 0) {
    return fail(
      'DATA_PROBLEM',
      `the group has committed more than the database has read, partition ${standing.ahead.join(', ')}`,
      'A restored database catches up by itself; else find who commits under this group: deviations position show',
    );
  }
  return ok(lag);
};
