import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { logLevel } from 'kafkajs';
// A client of the test's own, without the noise of an idle one.
import { theKafkajs } from '../../wire/kafka/kafkajs.ts';

const brokers = process.env['TEST_KAFKA_BROKERS'] ?? '';
const registry = process.env['TEST_SCHEMA_REGISTRY_URL'] ?? '';

test('its broker creates and deletes a topic', async () => {
  const topic = `the-stack-answers-${randomUUID()}`;
  const admin = new (theKafkajs().Kafka)({ brokers: brokers.split(','), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    expect(await admin.createTopics({ topics: [{ topic, numPartitions: 3 }], waitForLeaders: true })).toBe(true);
    expect(await admin.listTopics()).toContain(topic);
    await admin.deleteTopics({ topics: [topic] });
    expect(await admin.listTopics()).not.toContain(topic);
  } finally {
    await admin.disconnect();
  }
});

test('its registry lists its subjects', async () => {
  const answer = await fetch(`${registry}/subjects`, { signal: AbortSignal.timeout(10_000) });
  expect(answer.status).toBe(200);
  expect(Array.isArray(await answer.json())).toBe(true);
});
