/** Why there is nothing to show: on stderr, for whoever wonders. */
import type { StoreReader } from '../../consumer/index.ts';
import { type Io, writeLine } from '../io.ts';

export const sayNothing = async (reader: StoreReader, io: Io): Promise<void> => {
  const [stored] = await reader.counts({}, []);
  await writeLine(
    io.stderr,
    stored === undefined
      ? 'no deviation is stored yet; is the sink running, and does a report wait? deviations status'
      : `nothing matches; ${stored.count} are stored, from ${stored.firstAt} to ${stored.lastAt}`,
  );
};
