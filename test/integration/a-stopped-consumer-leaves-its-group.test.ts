/** A member that goes without leaving keeps its partitions from the next one for a whole session time-out. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startProxy } from '../support/faults-proxy.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { asAdmin, brokers } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';
import { freePort } from '../../stack/ports.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await enterScene('a-stopped-consumer');
});
afterAll(() => scene.leave());

const groupNow = () =>
  asAdmin(async (admin) => {
    const [group] = (await admin.describeGroups([scene.groups.sink])).groups;
    return { state: group?.state, members: group?.members.length };
  });

test('stopped in the middle of joining, a sink leaves the group to the others at once', async () => {
  const first = scene.consume('sink');
  await first.logged('claimed a partition');
  // The join of a second one lasts until the first has noticed, which takes it a heartbeat.
  const second = scene.consume('sink');
  await waitFor('the second to be joining', async () => (await groupNow()).state === 'PreparingRebalance', {
    seen: second.stderr,
  });
  second.kill('SIGTERM');
  expect(await second.ended()).toMatchObject({ code: 0 });

  first.kill('SIGTERM');
  expect(await first.ended()).toMatchObject({ code: 0 });
  expect(await groupNow()).toEqual({ state: 'Empty', members: 0 });
});

/** Whether it says that it is ready; undefined when it does not say anything. */
const readyAt = async (port: number): Promise<unknown> => {
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
  return answer === undefined ? undefined : Reflect.get((await answer.json()) as object, 'ready'); // as documented
};

test('a second signal waits for nothing: the process ends at once, by the number of that signal', async () => {
  const [proxy, port] = await Promise.all([startProxy(brokers().split(',')[0] ?? ''), freePort()]);
  try {
    const sink = scene.start(['sink', '--group', scene.groups.sink], {
      KAFKA_BROKERS: proxy.address,
      HEALTH_PORT: String(port),
    });
    await waitFor('the sink to be ready', async () => (await readyAt(port)) === true, { seen: sink.stderr });
    // It wants to leave the group, and nobody answers.
    proxy.become('lose-requests');
    sink.kill('SIGTERM');
    await waitFor('the sink to be stopping', async () => (await readyAt(port)) === false, { seen: sink.stderr });
    // Until it ends: one that comes right behind the first is taken for the same.
    const signalled = (): boolean => {
      sink.kill('SIGTERM');
      return !sink.isRunning();
    };
    await waitFor('the end of the sink', signalled, { seen: sink.stderr });
    expect(await sink.ended()).toMatchObject({ code: 143 });
    expect(sink.stderr()).not.toContain('did not stop within its limit');
  } finally {
    await proxy.stop();
  }
});

test('before there is anything to leave, with a broker that takes connections and never answers, it ends all the same', async () => {
  const proxy = await startProxy(brokers().split(',')[0] ?? '');
  try {
    proxy.become('lose-requests');
    const sink = scene.start(['sink', '--group', scene.groups.sink], { KAFKA_BROKERS: proxy.address });
    await waitFor('the sink to ask', () => proxy.lostBytes() > 0, { seen: sink.stderr });
    sink.kill('SIGTERM');
    // Sooner than the client gives the broker up, which would be said.
    expect(await sink.ended()).toMatchObject({ code: 0, stderr: '' });
  } finally {
    await proxy.stop();
  }
});
