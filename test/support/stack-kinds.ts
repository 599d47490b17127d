import type { StartedKind } from '../../stack/index.ts';

const ALL = ['docker', 'local'] as const satisfies readonly StartedKind[];

/** A person waits for the way that is used anyway; CI tries every way that starts servers. */
export const kindsToTry = (): readonly StartedKind[] => {
  const used = ALL.find((kind) => kind === process.env.TEST_STACK_KIND);
  if (process.env.CI || used === undefined) return ALL;
  process.stderr.write(`only ${used} is tried here, CI tries ${ALL.join(' and ')}\n`);
  return [used];
};
