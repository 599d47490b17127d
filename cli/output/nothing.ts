/** Why there is nothing to show: on stderr, for whoever wonders. */
import type { StoreReader } from '../../consumer/index.ts';
import { type Io, writeLine } from '../io.ts';

export const sayNothing = async (reader: StoreReader, io: Io): Promise<void> => {
  const [newest] = await reader.deviations({}, 1);
  await writeLine(
    io.stderr,
    newest === undefined
      ? 'no deviation is stored yet; is the sink running, and does a report wait? deviations status'
      : `nothing matches; the newest deviation that is stored is of ${newest.occurredAt}`,
  );
};
