/** The metrics of one consumer: a finite set of series, each named here and in docs/operations.md. No label holds a value. */
import { Counter, Gauge, Registry } from 'prom-client';
import { type Consumer, QUARANTINE_REASONS } from '../../wire/index.ts';
import { OUTCOMES } from '../outcome.ts';
import type { Progress } from '../stream/progress.ts';

export const createMetrics = (consumer: Consumer, progress: Progress): Registry => {
  const registry = new Registry();
  registry.setDefaultLabels({ consumer });
  const registers = [registry];

  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  };
  /** A counter that is read from the progress, which counts anyway. */
  const counter = (
    name: string,
    help: string,
    label: string,
    read: () => Iterable<readonly [string, number]>,
  ): void => {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset();
        for (const [word, count] of read()) this.inc({ [label]: word }, count);
      },
    });
  };
  const total = (name: string, help: string, read: () => number): void => {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  };
  const perPartition = (name: string, help: string, of: 'lagRecords' | 'lagSeconds'): void => {
    new Gauge({
      name,
      help,
      labelNames: ['partition'],
      registers,
      collect() {
        this.reset();
        for (const one of progress.snapshot().partitions) this.set({ partition: String(one.partition) }, one[of]);
      },
    });
  };

  counter('session_events_records_total', 'Records by what became of them', 'outcome', () => {
    const { outcomes } = progress.snapshot();
    return OUTCOMES.map((outcome) => [outcome, outcomes[outcome]] as const);
  });
  counter('session_events_quarantined_total', 'Quarantined records by reason', 'reason', () => {
    const { reasons } = progress.snapshot();
    return QUARANTINE_REASONS.map((reason) => [reason, reasons.get(reason) ?? 0] as const);
  });
  perPartition('session_events_lag_records', 'Records behind the position', 'lagRecords');
  perPartition('session_events_lag_seconds', 'Age of the last handled record while others wait', 'lagSeconds');
  gauge('session_events_holding', 'Partitions that wait for something outside', () => progress.snapshot().holding);
  total('session_events_holds_total', 'Holds since the start', () => progress.snapshot().holds);
  total('session_events_epoch_losses_total', 'Epochs lost since the start', () => progress.snapshot().epochLosses);
  gauge('session_events_ready', '1 when every assigned partition is claimed', () =>
    Number(progress.snapshot().isReady),
  );
  gauge('session_events_stuck', '1 when nothing advances though records wait', () =>
    Number(progress.snapshot().isStuck),
  );
  return registry;
};
