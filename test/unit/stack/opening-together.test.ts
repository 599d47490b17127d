import { expect, test } from '@jest/globals';
import { inOneRun } from '../../../stack/open.ts';
import type { Run, RunWish } from '../../../stack/run.ts';
import type { Server } from '../../../stack/server.ts';

test('when one server fails, the other is told to give up and has done so before the run is closed', async () => {
  const steps: string[] = [];
  const open = async ({ signal }: RunWish): Promise<Run> => ({
    howToStop: '',
    startBroker: async () => {
      throw new Error('no broker today');
    },
    startRegistry: () =>
      new Promise<Server>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          steps.push('registry told');
          setImmediate(() => {
            steps.push('registry gave up');
            reject(new Error('gave up'));
          });
        });
      }),
    close: async () => {
      steps.push('closed');
    },
  });
  const opening = inOneRun(open, { environment: {}, say: () => {} }, (run) => [run.startBroker(), run.startRegistry()]);
  await expect(opening).rejects.toThrow('no broker today');
  expect(steps).toEqual(['registry told', 'registry gave up', 'closed']);
});
