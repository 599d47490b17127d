/** A broker or a registry of a fault's own, to be killed, restarted, or filled with other schemas. */
import { type Server, startBroker, startRegistry, type StartedKind } from '../../stack/index.ts';

const kind = process.env['TEST_STACK_KIND'];

const isStarted = (word: string | undefined): word is StartedKind => word === 'docker' || word === 'local';

/** Why none can be started; undefined when one can. */
export const noServers = isStarted(kind) ? undefined : 'the stack is given, and none of its servers is ours to stop';

/** A killed broker is let back in once its former life has expired: sooner than after the usual nine seconds. */
const SOON_BACK = { 'broker.session.timeout.ms': '1000', 'broker.heartbeat.interval.ms': '200' };

export const startOwn = (which: 'broker' | 'registry'): Promise<Server> => {
  if (!isStarted(kind)) throw new Error(noServers);
  const wish = { environment: process.env, say: (line: string) => void process.stderr.write(`fault: ${line}\n`) };
  return which === 'broker' ? startBroker(kind, wish, SOON_BACK) : startRegistry(kind, wish);
};
