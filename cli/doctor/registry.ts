/** Whether the registry holds what this tree says, at its level. Looks up only. */
import { AGENT_DEVIATION, EVENT_TYPES } from '../../schemas/index.ts';
import { checkRegistered, registeredId } from '../../wire/index.ts';
import { type Check, fail, ok } from '../checkup/check.ts';
import { things } from '../checkup/words.ts';

export const registryCheck = {
  name: 'registry',
  asks: 'registry',
  look: async (site) => {
    const registry = await site.registry();
    await registry.hasSubject(AGENT_DEVIATION);
    return ok(`answers at ${site.config.registry().url}`);
  },
} as const satisfies Check;

export const subjectsCheck = {
  name: 'subjects',
  needs: ['registry'],
  asks: 'registry',
  look: async (site) => {
    const registry = await site.registry();
    const ids = await Promise.all(EVENT_TYPES.map((type) => registeredId(registry, type)));
    return ok(`the contract of this tree is registered, ids ${ids.join(', ')}`);
  },
} as const satisfies Check;

export const versionsCheck = {
  name: 'versions',
  needs: ['subjects'],
  asks: 'registry',
  look: async (site) => {
    const findings = await checkRegistered(await site.registry());
    const [first] = findings;
    if (first === undefined) return ok('every version was published by this tree, at the level it must have');
    return fail(
      'CONTRACT_MISMATCH',
      `${first.where}: ${first.rule} (${things(findings.length, 'finding')})`,
      first.fix,
    );
  },
} as const satisfies Check;
