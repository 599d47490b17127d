/** The broker and the topic, with the settings that the promises rest on (design 3.1). */
import { type Check, fail, type Found, ok, warn } from '../checkup/check.ts';
import type { Site } from '../checkup/site.ts';
import { ageOf, things } from '../checkup/words.ts';
import { shellWord } from '../shell.ts';

export const brokerCheck = {
  name: 'broker',
  asks: 'broker',
  look: async (site) => {
    await site.cluster();
    return ok(`answers at ${site.config.kafka().brokers.join(', ')}`);
  },
} as const satisfies Check;

export const topicCheck = {
  name: 'topic',
  needs: ['broker'],
  asks: 'broker',
  look: async (site) => {
    const { partitions, replication } = await site.topic();
    return ok(`${site.config.topic()}: ${things(partitions, 'partition')}, ${things(replication, 'replica')} of each`);
  },
} as const satisfies Check;

/** Kafka's own tool changes a topic; this program leaves an existing one as it is. */
const alter = (site: Site, setting: string, value: string): string => {
  const { brokers } = site.config.kafka();
  const words = [
    'kafka-configs.sh',
    '--bootstrap-server',
    brokers.join(','),
    '--alter',
    '--topic',
    site.config.topic(),
  ];
  return `Change it: ${[...words, '--add-config', `${setting}=${value}`].map(shellWord).join(' ')}`;
};

interface Rule {
  readonly name: string;
  readonly setting: string;
  readonly judge: (value: string, site: Site, replication: number) => Found;
}

const mustBe =
  (setting: string, wanted: string, why: string): Rule['judge'] =>
  (value, site) =>
    value === wanted
      ? ok(`${setting} is ${value}`)
      : fail('CONFIG_INVALID', `${setting} is ${value}: ${why}`, alter(site, setting, wanted));

/** A consumer may stand still over a long weekend. */
const SHORT_RETENTION_MS = 3 * 86_400_000;
/** "Delete after the acknowledgement" rests on two brokers that have the record. */
const SAFE_REPLICATION = 3;

const RULES: readonly Rule[] = [
  {
    name: 'topic-time',
    setting: 'message.timestamp.type',
    judge: mustBe(
      'message.timestamp.type',
      'LogAppendTime',
      "with the sender's clock a wrong one loses records, and ages are wrong",
    ),
  },
  {
    name: 'topic-replicas',
    setting: 'min.insync.replicas',
    judge: (value, site, replication) => {
      const says = `min.insync.replicas is ${value} of ${replication}`;
      if (replication < SAFE_REPLICATION) {
        return warn(
          `${says}: a record is acknowledged when one broker has it`,
          'For more than a trial make it anew on three brokers: deviations topic create --replication 3',
        );
      }
      return Number(value) >= 2
        ? ok(says)
        : fail(
            'CONFIG_INVALID',
            `${says}: a record is acknowledged when one broker has it`,
            alter(site, 'min.insync.replicas', '2'),
          );
    },
  },
  {
    name: 'topic-election',
    setting: 'unclean.leader.election.enable',
    judge: mustBe(
      'unclean.leader.election.enable',
      'false',
      'a broker that lags may become the leader, and what was acknowledged is gone',
    ),
  },
  {
    name: 'topic-cleanup',
    setting: 'cleanup.policy',
    judge: mustBe('cleanup.policy', 'delete', 'compaction keeps only the last event of a session'),
  },
  {
    name: 'topic-retention',
    setting: 'retention.ms',
    judge: (value, site) => {
      const ms = Number(value);
      if (ms < 0) return ok('retention.ms is -1: nothing is deleted for its age');
      const says = `records are deleted after ${ageOf(ms)}`;
      return ms >= SHORT_RETENTION_MS
        ? ok(says)
        : warn(`${says}: a consumer that stands still for longer loses them`, alter(site, 'retention.ms', '604800000'));
    },
  },
];

export const topicSettingChecks: readonly Check[] = RULES.map(({ name, setting, judge }) => ({
  name,
  needs: ['topic'],
  asks: 'broker',
  look: async (site) => {
    const { settings, replication } = await site.topic();
    const value = settings.get(setting);
    return value === undefined
      ? warn(`the broker does not tell ${setting}`, 'Ask for the right to describe the topic: deviations topic show')
      : judge(value, site, replication);
  },
}));
