/** A rule of the contract that a value breaks. Carries the rule alone: avsc's own errors quote the value. */
import type { QuarantineReason } from '../reasons.ts';

export class Violation extends Error {
  readonly reason: QuarantineReason;

  constructor(reason: QuarantineReason) {
    super(reason);
    this.name = 'Violation';
    this.reason = reason;
  }
}

/** By name, because `instanceof` fails across realms. */
export const isViolation = (error: unknown): error is Violation =>
  error instanceof Error && error.name === 'Violation' && 'reason' in error;
