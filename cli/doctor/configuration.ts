/** What can be told without asking anybody: settings, files, the contract of this tree. */
import { isStreamError, type StreamError } from '../../wire/index.ts';
import { type Check, fail, ok, skip } from '../checkup/check.ts';
import { things } from '../checkup/words.ts';
import { checkedContract } from '../commands/schema/texts.ts';
import type { Config } from '../config.ts';
import { SETTING_NAMES } from '../settings.ts';

/** One line each; those without a default are read when they are there. */
const readings = (config: Config): readonly (() => unknown)[] => [
  () => config.kafka(),
  ...(config.has('SCHEMA_REGISTRY_URL') ? [() => config.registry()] : []),
  () => config.database(),
  () => config.topic(),
  () => config.agentsIfAny(),
  () => config.healthPort(),
  () => config.logLevel(),
];

const problemIn = (read: () => unknown): readonly StreamError[] => {
  try {
    read();
    return [];
  } catch (error) {
    if (isStreamError(error)) return [error];
    throw error;
  }
};

export const configurationCheck = {
  name: 'configuration',
  asks: 'files',
  look: ({ config }) => {
    const problems = readings(config).flatMap(problemIn);
    const [first] = problems;
    if (first === undefined)
      return ok(`${things(SETTING_NAMES.filter((name) => config.isGiven(name)).length, 'setting')} given`);
    return fail(
      first.code,
      problems.map(({ where, what }) => `${where}: ${what}`).join('; '),
      problems.map(({ next }) => next).join('; '),
    );
  },
} as const satisfies Check;

export const contractCheck = {
  name: 'contract',
  asks: 'files',
  look: () => {
    const { contract, findings } = checkedContract();
    const [first] = findings;
    if (first === undefined) return ok(`${things(contract.texts.length, 'event type')}, locked as they are`);
    return fail(
      'CONTRACT_MISMATCH',
      `${first.where}: ${first.rule} (${things(findings.length, 'finding')})`,
      first.fix,
    );
  },
} as const satisfies Check;

export const agentsCheck = {
  name: 'agents',
  asks: 'files',
  look: ({ config }) => {
    const agents = config.agentsIfAny();
    if (agents === undefined) return skip('AGENTS_FILE is not set: the producer needs it, the sink can do without');
    return ok(`${things(agents.size, 'agent')} in the catalogue`);
  },
} as const satisfies Check;
