import { chooseKind } from './choose.ts';
import { openDockerRun } from './docker/run.ts';
import { lookForDocker } from './docker/engine.ts';
import { openLocalRun } from './local/run.ts';
import { lookForLocal } from './local/look.ts';
import type { Run, RunWish } from './run.ts';
import type { Server } from './server.ts';
import type { BrokerSettings } from './settings.ts';
import type { Stack, StackWish, StartedKind } from './stack.ts';

const OPENERS = { docker: openDockerRun, local: openLocalRun } as const satisfies Record<
  StartedKind,
  (wish: RunWish) => Promise<Run>
>;

const asRunWish = (wish: StackWish, signal: AbortSignal): RunWish => ({
  environment: wish.environment,
  say: wish.say,
  keep: wish.keep ?? false,
  signal: wish.signal ? AbortSignal.any([wish.signal, signal]) : signal,
});

/** Opens a run and starts servers in it side by side. When one fails the others stop waiting, and nothing stays behind. */
export const inOneRun = async <R extends Run, const Starts extends readonly Promise<Server>[]>(
  open: (wish: RunWish) => Promise<R>,
  wish: StackWish,
  start: (run: R) => Starts,
) => {
  const giveUp = new AbortController();
  const run = await open(asRunWish(wish, giveUp.signal));
  const starts = start(run);
  try {
    return { run, servers: await Promise.all(starts) };
  } catch (error) {
    giveUp.abort();
    // A start that is still under way would escape the closing.
    await Promise.allSettled(starts);
    await run.close();
    throw error;
  }
};

/** A broker and a registry, by the first way that works on this machine. */
export const openStack = async (wish: StackWish): Promise<Stack> => {
  const { environment, say } = wish;
  const { kind, because } = await chooseKind(environment, {
    docker: () => lookForDocker(environment, say),
    local: () => lookForLocal(environment),
  });
  say(`${kind}: ${because}`);
  if (kind === 'given') {
    const { KAFKA_BROKERS = '', SCHEMA_REGISTRY_URL = '' } = environment;
    return { kind, env: { KAFKA_BROKERS, SCHEMA_REGISTRY_URL }, howToStop: '', stop: async () => {} };
  }
  const { run, servers } = await inOneRun(OPENERS[kind], wish, (opened) => [
    opened.startBroker(),
    opened.startRegistry(),
  ]);
  const [broker, registry] = servers;
  return {
    kind,
    env: { KAFKA_BROKERS: broker.address, SCHEMA_REGISTRY_URL: registry.address },
    howToStop: run.howToStop,
    stop: () => run.close(),
  };
};

/** A run of its own for one server; stopping the server ends the run. */
const alone = async <R extends Run>(
  open: (wish: RunWish) => Promise<R>,
  wish: StackWish,
  start: (run: R) => Promise<Server>,
): Promise<Server> => {
  const { run, servers } = await inOneRun(open, wish, (opened) => [start(opened)]);
  const [server] = servers;
  return { ...server, stop: () => run.close() };
};

/** A broker of one's own, to be paused, killed and restarted; `settings` go before those of every broker here. */
export const startBroker = (kind: StartedKind, wish: StackWish, settings: BrokerSettings = {}): Promise<Server> =>
  alone<Run>(OPENERS[kind], wish, (run) => run.startBroker(settings));

/** A registry of one's own. It forgets its schemas when it is killed or restarted. */
export const startRegistry = (kind: StartedKind, wish: StackWish): Promise<Server> =>
  alone<Run>(OPENERS[kind], wish, (run) => run.startRegistry());

/** A PostgreSQL of one's own, by Docker: the local way has none yet. Its user and password are those of `DATABASE`. */
export const startDatabase = (wish: StackWish): Promise<Server> =>
  alone(openDockerRun, wish, (run) => run.startDatabase());
