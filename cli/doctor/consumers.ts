/** Who reads the topic, and whether the places where they stand are still there. */
import type { Consumer } from '../../wire/index.ts';
import type { Check } from '../checkup/check.ts';
import { judgeGroup, judgePosition, lagSecondsOf, lagWords } from '../checkup/consumers.ts';
import { standingOf } from '../checkup/standing.ts';

export const groupCheck = (consumer: Consumer): Check => ({
  name: consumer,
  needs: ['broker'],
  asks: 'broker',
  look: async (site) => {
    const positions = await site.positions().catch(() => []);
    const hasRun = positions.some((row) => row.consumer === consumer);
    return judgeGroup(consumer, site.groups[consumer], await site.group(consumer), hasRun);
  },
});

export const positionCheck = (consumer: Consumer): Check => ({
  name: `${consumer}-position`,
  needs: ['topic', 'migrations'],
  asks: 'broker',
  look: async (site) => {
    const [ends, positions, committed] = await Promise.all([site.ends(), site.positions(), site.committed(consumer)]);
    const standing = standingOf(consumer, site.config.topic(), ends, positions, committed);
    return judgePosition(standing, lagWords(standing, await lagSecondsOf(site, standing)));
  },
});
