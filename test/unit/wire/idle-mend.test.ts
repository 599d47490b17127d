import { createRequire } from 'node:module';
import { afterEach, expect, jest, test } from '@jest/globals';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import { theKafkajs } from '../../../wire/kafka/kafkajs.ts';
import { textOf } from '../../support/source-files.ts';

theKafkajs();

/** The queue as kafkajs makes it, with what its constructor and the methods used here ask for. */
interface Queue {
  pending: { sendRequest: () => void; entry: object }[];
  throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  inflight: Map<number, { sentAt: number; requestTimeout: number; timeoutRequest: () => void }>;
  checkPendingRequests(): void;
  scheduleRequestTimeoutCheck(): void;
  scheduleCheckPendingRequests(): void;
  destroy(): void;
}

const queues: Queue[] = [];

const openQueue = (): Queue => {
  const Made = RequestQueue as unknown as new (options: object) => Queue; // kafkajs has no typing of it
  const queue = new Made({
    logger: { debug: () => {} },
    maxInFlightRequests: 1,
    requestTimeout: 10_000,
    enforceRequestTimeout: true,
  });
  queues.push(queue);
  return queue;
};

afterEach(() => {
  for (const queue of queues.splice(0)) queue.destroy();
});

test('the version of kafkajs is pinned, because one of its inner methods is replaced', () => {
  const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: Record<string, string> }; // our own file
  expect(dependencies.kafkajs).toMatch(/^\d+\.\d+\.\d+$/);
  expect((createRequire(import.meta.url)('kafkajs/package.json') as { version: string }).version).toBe(
    dependencies.kafkajs,
  );
});

test('a client with nothing to send schedules no look at its queue', () => {
  const queue = openQueue();
  queue.checkPendingRequests();
  expect(queue.throttleCheckTimeoutId).toBeNull();
});

test('kafkajs still calls the replaced method after each request', () => {
  const queue = openQueue();
  const scheduling = jest.spyOn(RequestQueue.prototype, 'scheduleCheckPendingRequests');
  try {
    queue.checkPendingRequests();
    expect(scheduling).toHaveBeenCalledTimes(1);
  } finally {
    scheduling.mockRestore();
  }
});

test('a client with something to send that is throttled looks again', () => {
  const queue = openQueue();
  queue.throttledUntil = Date.now() + 600_000;
  queue.pending.push({ sendRequest: () => {}, entry: {} });
  queue.checkPendingRequests();
  expect(queue.throttleCheckTimeoutId).not.toBeNull();
});

test('a request without an answer is ended past its time, and looked for once a second', () => {
  jest.useFakeTimers();
  try {
    const queue = openQueue();
    queue.scheduleRequestTimeoutCheck();
    const timeoutRequest = jest.fn();
    let looks = 0;
    queue.inflight.set(1, {
      sentAt: Date.now(),
      timeoutRequest,
      get requestTimeout() {
        looks += 1;
        return 10_000;
      },
    });
    jest.advanceTimersByTime(10_000);
    expect(timeoutRequest).not.toHaveBeenCalled();
    expect(looks).toBe(10);
    jest.advanceTimersByTime(1_000);
    expect(timeoutRequest).toHaveBeenCalledTimes(1);
  } finally {
    jest.useRealTimers();
  }
});
