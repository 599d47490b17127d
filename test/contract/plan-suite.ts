/** Each filter of the tools is answered by its index, whatever the number of rows: by the plan, not by a clock. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DeviationFilter, StoreReader } from '../../consumer/index.ts';
import { NOON_MS, uuidNo } from '../support/builders.ts';
import type { OpenStoreUnderTest, StoreUnderTest } from './flushes.ts';

export interface Planner {
  /** Whatever the database needs to plan as it would for many rows. */
  readonly fill: string;
  /** The reader's own statement with its values written into it, as a question for its plan. */
  readonly explain: (filter: DeviationFilter, limit: number | undefined) => string;
  readonly keyIndex: string;
  readonly evidenceIndex: string;
  readonly traceIndex: string;
}

export const planSuite = (name: string, open: OpenStoreUnderTest, planner: Planner): void => {
  describe(`the plan of ${name}`, () => {
    let under: StoreUnderTest;
    let reader: StoreReader;

    beforeAll(async () => {
      under = await open();
      await under.change(planner.fill);
      reader = under.openReader();
    });

    afterAll(async () => {
      await reader.close();
      await under.close();
    });

    const planOf = async (filter: DeviationFilter, limit?: number): Promise<string> =>
      (await reader.select(planner.explain(filter, limit))).flatMap((row) => Object.values(row).map(String)).join('\n');

    test.each<[string, DeviationFilter, number | undefined, string]>([
      ['no filter', {}, 50, 'session_events_by_time'],
      ['--tipo, a rare one', { tipos: ['cancelamento_pelo_usuario'] }, 50, 'session_events_by_tipo'],
      ['--agente, a rare one', { agentes: ['revisor'] }, 50, 'session_events_by_agente'],
      ['--session', { sessionIds: [uuidNo(900)] }, undefined, 'session_events_by_session'],
      ['--project', { projectIds: [uuidNo(901)] }, 50, 'session_events_by_project'],
      ['--trace', { traceIds: ['0af7651916cd43dd8448eb211c80319c'] }, undefined, planner.traceIndex],
      ['--event', { eventIds: [uuidNo(1)] }, undefined, planner.keyIndex],
      ['--evidence', { evidenceIds: [uuidNo(70)] }, undefined, planner.evidenceIndex],
      ['either of two pieces of evidence', { evidenceIds: [uuidNo(70), uuidNo(71)] }, 50, planner.evidenceIndex],
      ['--since', { sinceMs: NOON_MS }, 50, 'session_events_by_time'],
      ['--until', { untilMs: NOON_MS }, 50, 'session_events_by_time'],
    ])('answers %s by its index and looks through no table', async (_, filter, limit, index) => {
      const plan = await planOf(filter, limit);
      expect(plan).toContain(index);
      expect(plan).not.toMatch(/Seq Scan|SCAN session_events$/m);
    });

    test.each<[string, DeviationFilter]>([
      ['--tipo', { tipos: ['laco'] }],
      ['--agente', { agentes: ['revisor'] }],
      ['--project', { projectIds: [uuidNo(901)] }],
    ])('gives the newest of %s without sorting all of them', async (_, filter) => {
      // Only those of one and the same instant are sorted, by their id.
      expect(await planOf(filter, 50)).toMatch(/Incremental Sort|LAST TERM OF ORDER BY/);
    });

    test('goes by the evidence first, whatever the kind and the time', async () => {
      const plan = await planOf({ tipos: ['laco'], untilMs: NOON_MS, evidenceIds: [uuidNo(70)] }, 50);
      expect(plan).toContain(planner.evidenceIndex);
      expect(plan).toContain(planner.keyIndex);
      expect(plan).not.toMatch(/session_events_by_(tipo|time)/);
    });
  });
};
