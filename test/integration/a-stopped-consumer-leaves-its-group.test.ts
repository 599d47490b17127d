/** A member that goes without leaving keeps its partitions from the next one for a whole session time-out. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { asAdmin } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';

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
