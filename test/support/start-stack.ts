import { openStack, type Stack } from '../../stack/index.ts';

/** The one place both halves of the wiring can reach: Jest loads each of them as a module of its own. */
export interface StackHolder {
  stackForTests?: Stack;
}

/** Jest's globalSetup of the integration project: one stack for all its test files, told to them by variables. */
// oxlint-disable-next-line import/no-default-export -- Jest looks for the default export here
export default async function startStackForTests(): Promise<void> {
  const stack = await openStack({
    environment: process.env,
    say: (line) => process.stderr.write(`stack: ${line}\n`),
  });
  process.env['TEST_KAFKA_BROKERS'] = stack.env.KAFKA_BROKERS;
  process.env['TEST_SCHEMA_REGISTRY_URL'] = stack.env.SCHEMA_REGISTRY_URL;
  process.env['TEST_STACK_KIND'] = stack.kind;
  // The global object takes any property; this is the only one put there, under this name.
  (globalThis as StackHolder).stackForTests = stack;
}
