/** Rows wait, the engine is upgraded to a tree with one more published text: they go out, framed with the id of their own. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { AGENT_DEVIATION, loadSchemaText } from '../../schemas/index.ts';
import type { Server } from '../../stack/index.ts';
import { createRegistry } from '../../wire/index.ts';
import { describeFault, FAULT_LIMIT_MS } from '../support/faults-fault.ts';
import type { Load } from '../support/faults-load.ts';
import type { Mutant } from '../support/faults-mutants.ts';
import { type ReporterOptions, startReporter } from '../support/faults-reporter.ts';
import { runSeed, type Trial } from '../support/faults-seeds.ts';
import { noServers, startOwn } from '../support/faults-servers.ts';
import { addFourthTipo, avscOf, copyTree, type SchemaTree } from '../support/schema-tree.ts';
import { count } from '../support/stack-database.ts';

const requireDone = (
  what: string,
  { code, stderr }: { readonly code: number | null; readonly stderr: string },
): void => {
  if (code !== 0) throw new Error(`${what}: exit ${code}\n${stderr}`);
};

let registry: Server | undefined;
let upgraded: SchemaTree | undefined;
const fault = describeFault('upgrade', {
  unless: noServers,
  openServers: async () => {
    registry = await startOwn('registry');
    const env = { SCHEMA_REGISTRY_URL: registry.address };
    const old = copyTree();
    requireDone('the old text', await old.deviations(['schema', 'register'], env));
    old.remove();
    return { registryUrl: registry.address };
  },
  stopServers: async () => registry?.stop(),
});

beforeAll(async () => {
  if (noServers !== undefined) return;
  const env = { SCHEMA_REGISTRY_URL: fault.ground().registryUrl };
  const tree = copyTree();
  upgraded = tree;
  addFourthTipo(tree);
  requireDone('the lock', await tree.deviations(['schema', 'lock', '--rn', 'RN-999']));
  requireDone('the new text', await tree.deviations(['schema', 'register', '--rn', 'RN-999'], env));
}, 120_000);
afterAll(() => upgraded?.remove());

/** The registry's number of each tree's text. */
const idsOfTexts = async (): Promise<{ readonly old: number; readonly upgraded: number }> => {
  const client = createRegistry({ url: fault.ground().registryUrl });
  const [old, ours] = await Promise.all([
    client.idOfText(AGENT_DEVIATION, loadSchemaText(AGENT_DEVIATION)),
    client.idOfText(AGENT_DEVIATION, upgraded?.read(avscOf()) ?? ''),
  ]);
  if (old === undefined || ours === undefined || old === ours) throw new Error('the texts have no ids of their own');
  return { old, upgraded: ours };
};

/** Both trees report while the broker is away; then one of them is there to send. */
const scenario =
  (mutant?: Mutant) =>
  async ({ rng, load, otherLoad, outboxFile }: Trial): Promise<void> => {
    const program = join(upgraded?.folder ?? '', 'bin', 'deviations.js');
    const run = async (of: Load, count: number, options: Partial<ReporterOptions>, code: number): Promise<void> => {
      const reporter = startReporter(fault.ground(), { outboxFile, broker: '127.0.0.1:1', drainMs: 0, ...options });
      const told = Promise.all(
        Array.from({ length: count }, async (_, n) => of.heard(n, await reporter.tell(of.reportNo(n)))),
      );
      reporter.end();
      expect({ code: await reporter.ended(), stderr: reporter.stderr() }).toMatchObject({ code });
      await told;
    };
    const [before, after] = [rng.between(3, 40), rng.between(3, 40)];
    await run(load, before, {}, 4);
    if (mutant !== undefined) await run(otherLoad, after, { program }, 4);
    const { broker } = fault.ground();
    // The same calls as before the upgrade are known after it.
    await run(load, before, { broker, drainMs: 30_000, ...(mutant === undefined ? { program } : { mutant }) }, 0);
    if (mutant === undefined) await run(otherLoad, after, { program, broker, drainMs: 30_000 }, 0);
  };

/** How many rows of these sessions are stored under this number. */
const storedUnder = (load: Load, id: number): number =>
  count(
    fault.ground().scene.databaseFile,
    `select count(*) from session_events where schema_id = ${id} and session_id in (${load.sessionIds.map((one) => `'${one}'`).join(', ')})`,
  );

fault.test(
  'rows of the older text and of the newer are stored, each under the id of its own',
  async () => {
    const ids = await idsOfTexts();
    const loads: (readonly [Load, Load])[] = [];
    const tally = await fault.trials(async (trial) => {
      loads.push([trial.load, trial.otherLoad]);
      await scenario()(trial);
    });
    expect(tally).toMatchObject({ duplicates: 0, setAside: 0, refused: 0 });
    for (const [old, newer] of loads) {
      expect(storedUnder(old, ids.old)).toBe(old.accepted().length);
      expect(storedUnder(newer, ids.upgraded)).toBe(newer.accepted().length);
    }
  },
  FAULT_LIMIT_MS,
);

fault.test(
  'a producer that frames every row alike is caught: rows are stored under an id that is not theirs',
  async () => {
    const ids = await idsOfTexts();
    let newer: Load | undefined;
    await runSeed(
      fault.ground(),
      'mutant',
      1,
      async (trial) => {
        newer = trial.otherLoad;
        await scenario('frames every row alike')(trial);
      },
      fault.ground().outboxFile(1_001),
    );
    if (newer === undefined) throw new Error('nothing was tried');
    expect(storedUnder(newer, ids.upgraded)).toBeLessThan(newer.accepted().length);
  },
  FAULT_LIMIT_MS,
);
