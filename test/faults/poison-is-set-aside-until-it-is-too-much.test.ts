/**
 * One wrong record in a thousand, every kind of wrong record, and a partition with hardly anything else: each is in the
 * quarantine for its own reason, and where they are too many the sink halts until an operator accepts them.
 */
import { afterAll, beforeAll, expect } from '@jest/globals';
import { avroLong, avroString, bodyOf } from '../support/avro-bytes.ts';
import { SESSION, uuidNo } from '../support/builders.ts';
import type { StoreKind } from '../support/faults-sink-database.ts';
import { describeSinkFault, FAULT_LIMIT_MS, type SinkScenario } from '../support/faults-sink-fault.ts';
import { expecting, shapeOf, wronged } from '../support/faults-sink-load.ts';
import { type ForeignMessage, framed } from '../support/foreign-writer.ts';
import type { RunningProcess } from '../support/processes.ts';
import { poisons, registerWriters, type Writers } from '../support/poison-records.ts';
import { type EventRecord, deviationsFrom, recordsOf } from '../support/stack-events.ts';

const fault = describeSinkFault('poison', {
  partitions: () => 2,
  shape: (rng) => ({ ...shapeOf(rng), wrong: 0.001 }),
});

let writers: Writers;
let sample: EventRecord;
beforeAll(async () => {
  writers = await registerWriters();
  const [record] = await recordsOf(deviationsFrom(900_000, 1));
  if (record === undefined) throw new Error('no record was made');
  sample = record;
});
afterAll(() => writers.remove());

const oneInAThousand: SinkScenario = async (place, start) => {
  const sink = start();
  await place.load.write(place.rng.between(1_500, 3_000));
  await place.caughtUp([sink]);
  await place.stop(sink);
};

/** A row that the database refuses as data, in the words of each. */
const REFUSES: Readonly<Record<StoreKind, string>> = {
  postgres: "alter table session_events add constraint refuses check (agente <> 'recusado')",
  sqlite: `create trigger refuses before insert on session_events when new.agente = 'recusado'
    begin select raise(abort, 'refused'); end`,
};

const everyKind: SinkScenario = async (place, start) => {
  const { rng, load, database } = place;
  await database.run(REFUSES[database.kind]);
  const id = sample.value.readInt32BE(1);
  const clashing = uuidNo(place.seed * 1_000_000 - 1);
  const ours = (reason: string, given: Parameters<typeof bodyOf>[0]): ForeignMessage =>
    expecting({ key: SESSION, value: framed(id, bodyOf(given)), headers: sample.headers }, reason);
  const kinds = poisons(sample, writers, 'word').flatMap(({ message, reason }) =>
    reason === undefined ? [] : [expecting(message, reason)],
  );
  const sink = start({ agents: ['desenvolvedor', 'recusado'] });
  await load.write(rng.between(1, 50));
  await load.writeThese([
    ...kinds.toSorted(() => rng.between(-1, 1)),
    ours('row', { eventId: avroString(clashing) }),
    ours('HASH_CLASH', { eventId: avroString(clashing), tipo: avroLong(1) }),
    ours('ROW_REFUSED', { eventId: avroString(uuidNo(place.seed * 1_000_000 - 2)), agente: avroString('recusado') }),
  ]);
  await load.write(rng.between(1, 50));
  await place.caughtUp([sink]);
  await place.stop(sink);
};

const halts = async (sink: RunningProcess): Promise<void> => {
  const { code, stderr } = await sink.ended();
  if (code !== 5 || !/\d+ of \d+ records within ten minutes were quarantined/.test(stderr)) {
    throw new Error(`a sink ended with ${code}\n${stderr}`);
  }
};

/** The halt is due from the 2,000th wrong record on, if they are more than half. */
const allOfAPartition: SinkScenario = async (place, start) => {
  const { rng, load } = place;
  await load.write(rng.between(1, 200));
  const halting = start();
  const wrong = Array.from({ length: rng.between(2_000, 3_000) }, () => ({ ...wronged(sample, rng), partition: 0 }));
  await load.writeThese(wrong);
  await halts(halting);
  // Nothing has been decided, so it halts again.
  await halts(start());
  const accepting = start({ acceptQuarantine: true });
  await place.caughtUp([accepting]);
  await place.stop(accepting);
};

const SCENARIOS = [oneInAThousand, everyKind, allOfAPartition] as const;

fault.test(
  'every record has its one outcome',
  async () => {
    const { quarantined } = await fault.seeds(async (place, start) =>
      (SCENARIOS[place.seed % SCENARIOS.length] ?? oneInAThousand)(place, start),
    );
    expect(quarantined).toBeGreaterThan(2_000);
  },
  FAULT_LIMIT_MS,
);
