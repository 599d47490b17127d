/** Whatever is missing when it starts is waited for and named with the command that helps; only a wrong contract ends it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Server, startRegistry } from '../../stack/index.ts';
import { AGENT_DEVIATION } from '../../schemas/index.ts';
import { linesOf, type RunningProcess } from '../support/processes.ts';
import { writerText } from '../support/schema-texts.ts';
import { caughtUp, count, countersOf } from '../support/stack-database.ts';
import { EXPECTED_ANSWERS, EXPECTED_EVENTS, REPORTS_TEXT } from '../support/stack-examples.ts';
import { registerText, removeSubject, versionsOf } from '../support/stack-registry.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { asAdmin, createTopic, endsOf } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';

/** An empty registry is needed, and the one that the tests share holds the schemas. */
const KIND = process.env['TEST_STACK_KIND'];
const ownKind = KIND === 'docker' || KIND === 'local' ? KIND : undefined;
if (ownKind === undefined) {
  process.stderr.write('start-in-any-order: skipped, a stack that was given has no second, empty registry\n');
}
const testIt = ownKind === undefined ? test.skip : test;

/** A first start may have to fetch the server. */
const START_LIMIT_MS = 120_000;

let scene: Scene;
let registry: Server;
let own: Readonly<Record<string, string>>;

beforeAll(async () => {
  if (ownKind === undefined) return;
  scene = await enterScene('start-in-any-order', { bare: true });
  registry = await startRegistry(ownKind, { environment: process.env, say: () => {} });
  own = { SCHEMA_REGISTRY_URL: registry.address };
}, START_LIMIT_MS);

afterAll(async () => {
  if (ownKind === undefined) return;
  await scene.leave();
  await registry.stop();
});

/** Waits for the log line that holds and names this command as the next step. */
const holdsNaming = async (consumer: RunningProcess, command: string): Promise<void> => {
  await waitFor(
    `a line that holds and names "${command}"`,
    () => consumer.log().some(({ msg, next }) => msg === 'holds' && String(next).includes(command)),
    { seen: consumer.stderr },
  );
  expect(consumer.isRunning()).toBe(true);
};

const consume = (consumer: 'sink' | 'graph'): RunningProcess =>
  scene.start([consumer, '--group', scene.groups[consumer]], own);

testIt('both consumers started before everything hold, say what helps, and go on by themselves', async () => {
  const [sink, graph] = [consume('sink'), consume('graph')];
  const both = [sink, graph] as const;
  // The engine is not refused for it: its reports wait in the outbox.
  const early = scene.start(['report', '--drain', '1s'], own, REPORTS_TEXT);
  await waitFor('every report to be answered', () => linesOf(early.stdout()).length === EXPECTED_ANSWERS.length);
  expect(linesOf(early.stdout())[0]).toContain('"recorded":true');
  await Promise.all(both.map((one) => holdsNaming(one, 'deviations topic create')));
  expect(await asAdmin((admin) => admin.listTopics())).not.toContain(scene.topic);

  expect(await scene.run(['topic', 'create'])).toMatchObject({ code: 0 });
  await Promise.all(both.map((one) => holdsNaming(one, 'deviations schema register')));

  expect(await early.ended()).toMatchObject({ code: 4 });
  expect(await scene.run(['schema', 'register'], '', own)).toMatchObject({ code: 0 });
  await Promise.all(both.map((one) => holdsNaming(one, 'deviations migrate')));

  expect(await scene.run(['migrate'])).toMatchObject({ code: 0 });
  await Promise.all(both.map((one) => one.logged('ready')));

  // What was waiting since before there was a topic is sent by the next producer.
  expect(await scene.run(['report'], '', own)).toMatchObject({ code: 0 });
  const ends = await endsOf(scene.topic);
  await caughtUp(scene.databaseFile, 'sink', ends, sink.stderr);
  await caughtUp(scene.databaseFile, 'graph', ends, graph.stderr);
  expect(countersOf(scene.databaseFile, 'sink')).toMatchObject({ stored: EXPECTED_EVENTS.length, quarantined: 0 });
  expect(countersOf(scene.databaseFile, 'graph')).toMatchObject({ stored: 0, filtered: EXPECTED_EVENTS.length });
  for (const one of both) {
    one.kill('SIGTERM');
    expect(await one.ended()).toMatchObject({ code: 0, stdout: '' });
  }
});

testIt('a registered text that differs by one field ends the sink with 3, naming the contract', async () => {
  const before = count(scene.databaseFile, 'select count(*) from session_events');
  await removeSubject(AGENT_DEVIATION, registry.address);
  await registerText(
    AGENT_DEVIATION,
    writerText((schema) => schema.fields.pop()),
    registry.address,
  );
  const { code, stderr } = await consume('sink').ended();
  expect(code).toBe(3);
  expect(stderr).toMatch(/CONTRACT_MISMATCH.*anamnese\.agent_deviation/);
  expect(count(scene.databaseFile, 'select count(*) from session_events')).toBe(before);
});

testIt(
  'against such a registry a report waits: nothing unframed is sent and no text registered by surprise',
  async () => {
    const topic = `${scene.topic}-unsent`;
    scene.alsoRemove({ topics: [topic] });
    await createTopic(topic, 1);
    const answer = await scene.run(
      ['report', '--drain', '1s', '--topic', topic, '--outbox', `${scene.folder}/unsent.db`],
      REPORTS_TEXT,
      own,
    );
    expect(answer.code).toBe(4);
    expect(linesOf(answer.stdout)[0]).toContain('"recorded":true');
    expect(await endsOf(topic)).toEqual(new Map([[0, 0n]]));
    expect(await versionsOf(AGENT_DEVIATION, registry.address)).toHaveLength(1);
  },
);
