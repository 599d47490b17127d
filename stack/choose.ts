import { StreamError } from '../wire/errors.ts';
import { type Environment, STACK_KINDS, type StackKind, type StartedKind } from './stack.ts';

/** Whether a way works on this machine, and why or why not, in half a sentence. */
export interface Finding {
  readonly works: boolean;
  readonly because: string;
}

/** One look per way; each is asked only when the ways before it do not work. */
export type Probes = Readonly<Record<StartedKind, () => Promise<Finding>>>;

export interface Choice {
  readonly kind: StackKind;
  readonly because: string;
}

const GIVEN = ['KAFKA_BROKERS', 'SCHEMA_REGISTRY_URL'] as const;

const lookAtSettings = (environment: Environment): Finding => {
  const missing = GIVEN.filter((name) => !environment[name]);
  if (missing.length === 0) return { works: true, because: `${GIVEN.join(' and ')} are set` };
  return { works: false, because: `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not set` };
};

const HOW_TO_GET_ONE =
  'One of three is enough: set KAFKA_BROKERS and SCHEMA_REGISTRY_URL to servers that run; ' +
  'or start a Docker engine that has, or can pull, the images of docker-compose.yml; ' +
  'or install Java 17 or newer (better 21) and Maven.';

/** `given`, `docker` or `local`: the one that SESSION_STACK names, else the first that works here. */
export const chooseKind = async (environment: Environment, probes: Probes): Promise<Choice> => {
  const looks = { given: async () => lookAtSettings(environment), ...probes };
  const word = environment['SESSION_STACK'] || undefined;
  const forced = STACK_KINDS.find((kind) => kind === word);
  if (word !== undefined && forced === undefined) {
    throw new StreamError('CONFIG_INVALID', 'SESSION_STACK', `It is one of ${STACK_KINDS.join(', ')}, or not set.`);
  }

  const refusals: string[] = [];
  for (const kind of forced === undefined ? STACK_KINDS : [forced]) {
    const { works, because } = await looks[kind]();
    if (works) return { kind, because: [because, ...refusals].join('; ') };
    refusals.push(`${kind} is out, ${because}`);
  }
  if (forced === 'given') {
    throw new StreamError('CONFIG_MISSING', lookAtSettings(environment).because, 'SESSION_STACK=given needs both.');
  }
  throw new StreamError('STACK_UNAVAILABLE', refusals.join('; '), HOW_TO_GET_ONE);
};
