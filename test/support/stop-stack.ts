import type { StackHolder } from './start-stack.ts';

/** Jest's globalTeardown of the integration project: stops what start-stack.ts has put there. */
// oxlint-disable-next-line import/no-default-export -- Jest looks for the default export here
export default async function stopStackForTests(): Promise<void> {
  // See start-stack.ts for the property.
  await (globalThis as StackHolder).stackForTests?.stop();
}
