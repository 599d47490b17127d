import { expect, test } from '@jest/globals';
import { type Admin, logLevel } from 'kafkajs';
import { brokerAnswers, databaseAnswers, registryAnswers } from '../../stack/answers.ts';
import { lookForDocker } from '../../stack/docker/engine.ts';
import { DATABASE, type StackWish, startBroker, startDatabase, startRegistry } from '../../stack/index.ts';
import { lookForLocal } from '../../stack/local/look.ts';
import { kindsToTry } from '../support/stack-kinds.ts';
// A client of the test's own, without the noise of an idle one.
import { theKafkajs } from '../../wire/kafka/kafkajs.ts';

const FOUND = { docker: await lookForDocker(process.env, () => {}), local: await lookForLocal(process.env) };
const works = (kind: keyof typeof FOUND): boolean => {
  if (!FOUND[kind].works) {
    process.stderr.write(`the-stack-servers-come-back: ${kind} is skipped, ${FOUND[kind].because}\n`);
  }
  return FOUND[kind].works;
};
const KINDS = kindsToTry().map((kind) => [kind, works(kind) ? test : test.skip] as const);

const wish: StackWish = { environment: process.env, say: () => {} };
/** Ten minutes, because a first start may have to download the servers. */
const LIMIT_MS = 600_000;

const asAdmin = async <T>(address: string, work: (admin: Admin) => Promise<T>): Promise<T> => {
  const admin = new (theKafkajs().Kafka)({ brokers: [address], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
};
const silence = (answer: Promise<boolean>): Promise<boolean> => answer.catch(() => false);

for (const [kind, testIt] of KINDS) {
  testIt(
    `${kind}: a broker keeps its address and its topics through a pause, a restart and a kill, and its own settings`,
    async () => {
      const broker = await startBroker(kind, wish, { 'auto.create.topics.enable': 'true' });
      try {
        await asAdmin(broker.address, (admin) => admin.createTopics({ topics: [{ topic: 'stays' }] }));

        await broker.pause();
        expect(await silence(brokerAnswers(broker.address))).toBe(false);
        await broker.resume();
        expect(await brokerAnswers(broker.address)).toBe(true);

        await broker.restart();
        expect(await asAdmin(broker.address, (admin) => admin.listTopics())).toEqual(['stays']);

        await broker.kill();
        expect(await silence(brokerAnswers(broker.address))).toBe(false);
        await broker.restart();
        expect(await asAdmin(broker.address, (admin) => admin.listTopics())).toEqual(['stays']);

        // 4: the configuration of a broker, in the words of the protocol
        const told = await asAdmin(broker.address, (admin) =>
          admin.describeConfigs({ includeSynonyms: false, resources: [{ type: 4, name: '1' }] }),
        );
        const settings = new Map(told.resources[0]?.configEntries.map((each) => [each.configName, each.configValue]));
        expect(settings.get('auto.create.topics.enable')).toBe('true');
        expect(settings.get('group.min.session.timeout.ms')).toBe('1000');

        // A paused server must not hold up the end.
        await broker.pause();
      } finally {
        await broker.stop();
      }
      expect(await silence(brokerAnswers(broker.address))).toBe(false);
    },
    LIMIT_MS,
  );

  testIt(
    `${kind}: a registry comes back at its address`,
    async () => {
      const registry = await startRegistry(kind, wish);
      try {
        await registry.kill();
        expect(await silence(registryAnswers(registry.address))).toBe(false);
        await registry.restart();
        expect(await registryAnswers(registry.address)).toBe(true);
      } finally {
        await registry.stop();
      }
    },
    LIMIT_MS,
  );
}

(works('docker') ? test : test.skip)(
  'docker: a database comes back at its address',
  async () => {
    const database = await startDatabase(wish);
    const answers = (): Promise<boolean> => databaseAnswers(database.address, DATABASE.user, DATABASE.name);
    try {
      await database.kill();
      expect(await silence(answers())).toBe(false);
      await database.restart();
      expect(await answers()).toBe(true);
    } finally {
      await database.stop();
    }
  },
  LIMIT_MS,
);
