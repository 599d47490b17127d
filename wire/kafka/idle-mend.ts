/**
 * What an idle kafkajs client does too often. The version is pinned; a test notices when a mend stops working.
 *
 * It looks about once a millisecond whether a request may be sent, also when none waits, with a time-out that is
 * negative: it burns CPU, and Node warns on every connection. With nothing waiting there is nothing to look for: whatever is
 * queued later schedules the look itself.
 *
 * And it looks ten times a second on each connection whether a request is overdue, where the limit is ten seconds.
 */
import type RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

/** How often overdue requests are looked for, in milliseconds. */
const OVERDUE_EVERY_MS = 1_000;

export const mendIdle = ({ prototype }: typeof RequestQueue): void => {
  const asItWas = Object.getOwnPropertyDescriptor(prototype, 'scheduleCheckPendingRequests')?.value as
    | ((this: RequestQueue) => void)
    | undefined;

  prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0) asItWas?.call(this);
  };

  prototype.scheduleRequestTimeoutCheck = function (this: RequestQueue): void {
    if (!this.enforceRequestTimeout) return;
    this.destroy();
    this.requestTimeoutIntervalId = setInterval(
      () => {
        for (const request of this.inflight.values()) {
          if (Date.now() - request.sentAt > request.requestTimeout) request.timeoutRequest();
        }
        if (!this.isConnected()) this.destroy();
      },
      Math.min(this.requestTimeout, OVERDUE_EVERY_MS),
    );
  };
};
