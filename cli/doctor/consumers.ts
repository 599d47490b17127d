/** Who reads the topic, and whether the places where they stand are still there. */
import type { Consumer } from '../../wire/index.ts';
import type { Check } from '../checkup/check.ts';
import { judgeGroup, judgePosition, lagSecondsOf, lagWords, standingIn } from '../checkup/consumers.ts';

export const groupCheck = (consumer: Consumer): Check => ({
  name: consumer,
  needs: ['broker'],
  asks: 'broker',
  look: async (site) => {
    const [group, positions] = await Promise.all([site.group(consumer), site.positions().catch(() => [])]);
    const hasRun = positions.some((row) => row.consumer === consumer);
    return judgeGroup(consumer, site.groups[consumer], group, hasRun);
  },
});

export const positionCheck = (consumer: Consumer): Check => ({
  name: `${consumer}-position`,
  needs: ['topic', 'migrations'],
  asks: 'broker',
  look: async (site) => {
    const standing = await standingIn(site, consumer);
    return judgePosition(standing, lagWords(standing, await lagSecondsOf(site, standing)));
  },
});
