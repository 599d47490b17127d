/** A sink in a process of its own that says when what was committed: by the clock that all processes of a machine share. */
import { createProgress, createSinkJudge, runConsumer } from '../../consumer/index.ts';
import { silentLog } from '../../wire/index.ts';

export interface Stamp {
  readonly partition: number;
  readonly next: string;
  /** Nanoseconds of `process.hrtime`. */
  readonly atNs: string;
}

export type StampMessage = { readonly claimed: number } | { readonly stamps: readonly Stamp[] };

/** Rarely, so that telling does not disturb what is measured. */
const TELL_EVERY_MS = 200;

const [brokers = '', registryUrl = '', databaseUrl = '', topic = '', group = ''] = process.argv.slice(2);

const tell = (message: StampMessage): void => void process.send?.(message);
const progress = createProgress();
let stamps: Stamp[] = [];
const telling = setInterval(() => {
  if (stamps.length > 0) tell({ stamps });
  stamps = [];
}, TELL_EVERY_MS);

const stop = new AbortController();
process.once('disconnect', () => stop.abort());
await runConsumer(
  {
    consumer: 'sink',
    judge: createSinkJudge({ agents: undefined }),
    kafka: { brokers: brokers.split(',') },
    registry: { url: registryUrl },
    database: { url: databaseUrl },
    topic,
    group,
    progress: {
      ...progress,
      claimed: (partition, position) => {
        progress.claimed(partition, position);
        tell({ claimed: partition });
      },
      flushed: (partition, next, counts, recordTimeMs) => {
        stamps.push({ partition, next: String(next), atNs: String(process.hrtime.bigint()) });
        progress.flushed(partition, next, counts, recordTimeMs);
      },
    },
    log: silentLog,
  },
  stop.signal,
);
clearInterval(telling);
