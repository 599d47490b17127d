/** The same promises on a real PostgreSQL. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { migrate, openInspector, openReader, openStore } from '../../consumer/index.ts';
import { type OwnPostgres, startPostgres } from '../support/embedded-postgres.ts';
import { startPostgresProxy } from '../support/faults-sink-postgres-proxy.ts';
import { waitFor } from '../support/wait-for.ts';
import { aFlush, aRow, KEY, type OpenStoreUnderTest } from './flushes.ts';
import { graphSuite } from './graph-suite.ts';
import { inspectorSuite } from './inspector-suite.ts';
import { quarantineSuite } from './quarantine-suite.ts';
import { selectNewest } from '../../consumer/store/postgres/where.ts';
import { planSuite } from './plan-suite.ts';
import { readerSuite } from './reader-suite.ts';
import { storeSuite } from './store-suite.ts';

let server: OwnPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

const open: OpenStoreUnderTest = async () => {
  const database = await server.createDatabase();
  const settings = { url: database.url };
  await migrate(settings);
  return {
    openStore: () => openStore(settings),
    openReader: () => openReader(settings),
    openInspector: () => openInspector(settings),
    change: async (sql) => {
      await database.select(sql);
    },
    close: () => database.drop(),
  };
};

storeSuite('PostgreSQL', open);
quarantineSuite('PostgreSQL', open);
readerSuite('PostgreSQL', open);
graphSuite('PostgreSQL', open);
inspectorSuite('PostgreSQL', open);

test('a writer that falls silent while its rows are waited for keeps nobody from claiming its partition', async () => {
  const database = await server.createDatabase();
  await migrate({ url: database.url });
  const proxy = await startPostgresProxy(database.url);
  const silent = await openStore({ url: proxy.urlOf(database.url) });
  const other = await openStore({ url: database.url });
  try {
    await silent.claim(KEY);
    proxy.silenceAfter('copy incoming');
    const flushing = silent.flush(aFlush(1, undefined, 2, { rows: [aRow(1)] })).catch(() => 'cut off');
    await waitFor('the server to wait for the rows', async () => {
      const waiting = await database.select(
        "select 1 from pg_stat_activity where query like 'begin;%copy%' and wait_event = 'ClientRead'",
      );
      return waiting.length > 0;
    });
    expect(await other.claim(KEY)).toMatchObject({ epoch: 2 });
    await proxy.stop();
    expect(await flushing).toBe('cut off');
  } finally {
    await Promise.all([silent.close(), other.close()]);
    await database.drop();
  }
});

planSuite('PostgreSQL', open, {
  // It plans by how many rows there are, and by how the values are spread over them.
  fill: `
    insert into session_events
    select gen_random_uuid(), 'anamnese.agent_deviation', md5((n / 20)::text)::uuid, md5((n % 50)::text)::uuid,
      'agent/anamnese', timestamptz '2026-11-30T12:00:00Z' + (n - 15000) * interval '1 second',
      case n % 500 when 0 then 'revisor' else 'po' end,
      case n % 500 when 0 then 'cancelamento_pelo_usuario' else 'laco' end,
      array[gen_random_uuid(), gen_random_uuid(), gen_random_uuid()], 'session-events', 0, n, 7, repeat('0', 64),
      md5(n::text), now()
    from generate_series(1, 20000) n;
    select gin_clean_pending_list('session_events_by_evidence');
    analyze session_events`,
  explain: (filter, limit) => {
    const { sql, values } = selectNewest(filter, limit);
    return `explain ${sql.replaceAll(/\$(\d+)/g, (_, place: string) => {
      const value = values[Number(place) - 1];
      if (Array.isArray(value)) return `'{${value.join()}}'`;
      return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
    })}`;
  },
  keyIndex: 'session_events_pkey',
  evidenceIndex: 'session_events_by_evidence',
  traceIndex: 'session_events_by_trace',
});
