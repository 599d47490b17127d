/** What every adapter's inspector promises to a check-up. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { StoreInspector } from '../../consumer/index.ts';
import type { OpenStoreUnderTest, StoreUnderTest } from './flushes.ts';

export const inspectorSuite = (name: string, open: OpenStoreUnderTest): void => {
  describe(`the ${name} inspector`, () => {
    let under: StoreUnderTest;
    let inspector: StoreInspector;

    beforeEach(async () => {
      under = await open();
      inspector = under.openInspector();
    });

    afterEach(async () => {
      await inspector.close();
      await under.close();
    });

    test('finds a migrated database at the version it wants, with its keys, open for writing', async () => {
      const { has, wants } = await inspector.versions();
      expect(has).toBe(wants);
      expect(has).toBeGreaterThan(0);
      await expect(inspector.requireKeys()).resolves.toBeUndefined();
      expect(await inspector.isWritable()).toBe(true);
    });

    test('answers several questions at once', async () => {
      const [versions, isWritable, keys] = await Promise.all([
        inspector.versions(),
        inspector.isWritable(),
        inspector.requireKeys(),
      ]);
      expect([versions.has, isWritable, keys]).toEqual([versions.wants, true, undefined]);
    });

    test('finds an older database older', async () => {
      await under.change('delete from schema_migrations');
      expect((await inspector.versions()).has).toBe(0);
    });

    test('names the table that lacks its key', async () => {
      await under.change(`create table copied as select * from quarantine;
        drop table quarantine; alter table copied rename to quarantine`);
      await expect(inspector.requireKeys()).rejects.toMatchObject({
        code: 'CONTRACT_MISMATCH',
        where: expect.stringContaining('quarantine'),
      });
    });

    test('has no clock, or one that agrees with this machine’s, which is the same one here', async () => {
      const aheadMs = await inspector.clockAheadMs();
      if (aheadMs !== undefined) expect(Math.abs(aheadMs)).toBeLessThan(1_000);
    });
  });
};
