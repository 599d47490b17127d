/**
 * kafkajs looks about once a millisecond whether a request may be sent, also when none waits, with a time-out that is
 * negative: an idle client burns CPU, and Node warns on every connection. With nothing waiting there is nothing to look
 * for: whatever is queued later schedules the look itself. The version is pinned; a test notices when this stops working.
 */
import type RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

export const mendIdle = ({ prototype }: typeof RequestQueue): void => {
  const asItWas = Object.getOwnPropertyDescriptor(prototype, 'scheduleCheckPendingRequests')?.value as
    | ((this: RequestQueue) => void)
    | undefined;

  prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0) asItWas?.call(this);
  };
};
