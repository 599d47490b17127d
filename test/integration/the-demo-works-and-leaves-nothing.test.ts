/** The demo as a newcomer runs it, on a stack that was given: what it shows adds up, and nothing of it is left, however it ends. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Ended, isAlive, linesOf, PROGRAM, type RunningProcess, startNode } from '../support/processes.ts';
import { EXPECTED_ANSWERS, EXPECTED_EVENTS, RECORDED } from '../support/stack-examples.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { asAdmin } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';

const LIMIT_MS = 60_000;
const PROJECTABLE = 20;

let scene: Scene;
beforeAll(async () => {
  scene = await enterScene('the-demo', { bare: true });
});
afterAll(() => scene.leave());

const startDemo = (): RunningProcess => scene.start(['demo'], { SESSION_STACK: 'given' });

const said = (text: string, pattern: RegExp): string => {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`nothing like ${String(pattern)} in:\n${text}`);
  return found;
};

/** The part of the demo's names that is this run's own. */
const runOf = (stderr: string): string => said(stderr, /created topic session-events-demo-([0-9a-f]+)/);

const pidsOf = (stderr: string): readonly number[] =>
  [...stderr.matchAll(/\(process (\d+)\)/g)].map(([, pid]) => Number(pid));

const namesOnBroker = (run: string): Promise<readonly string[]> =>
  asAdmin(async (admin) => {
    const { groups } = await admin.listGroups();
    return [...(await admin.listTopics()), ...groups.map(({ groupId }) => groupId)].filter((name) =>
      name.includes(run),
    );
  });

const expectNothingLeft = async (stderr: string): Promise<void> => {
  expect(await namesOnBroker(runOf(stderr))).toEqual([]);
  const pids = pidsOf(stderr);
  expect(pids).toHaveLength(2);
  expect(pids.filter(isAlive)).toEqual([]);
};

/** `sink  45 consumed = 25 stored + 0 duplicate + …`: the whole and its parts by name. */
const accountOf = (stdout: string, word: string) => {
  const [, whole, parts = ''] = new RegExp(`^ {2}${word} +(\\d+)[^=]*= (.+)$`, 'm').exec(stdout) ?? [];
  return {
    whole: Number(whole),
    parts: Object.fromEntries(
      parts.split(' + ').map((part): [string, number] => [part.replace(/^\d+ /, ''), Number.parseInt(part, 10)]),
    ),
  };
};
const sumOf = (parts: Readonly<Record<string, number>>): number => Object.values(parts).reduce((a, b) => a + b, 0);

/** `  laco  17  ███`: the counts under a heading. */
const barsUnder = (stdout: string, heading: string): Readonly<Record<string, number>> => {
  const [, block = ''] = stdout.split(`\n${heading}\n`);
  const lines = block.slice(0, block.indexOf('\n\n')).split('\n');
  return Object.fromEntries(
    lines.map((line): [string, number] => {
      const [name = '', number, bar = ''] = line.trim().split(/ +/);
      expect(bar).toMatch(/^█+$/);
      return [name, Number(number)];
    }),
  );
};

const countBy = (key: 'tipo' | 'agente'): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const event of EXPECTED_EVENTS) counts[event[key]] = (counts[event[key]] ?? 0) + 1;
  return counts;
};

const expectTheWholeShow = async ({ code, stdout, stderr }: Ended): Promise<void> => {
  expect({ code, stderr }).toMatchObject({ code: 0 });
  // As wide as a pipe's table is, times are brief and so are the words.
  const rows = linesOf(stdout).filter((line) => /^\d{4}-\d\d-\d\d \d\d:\d\dZ/.test(line));
  const shown = rows.map((row) => row.split(/ {2,}/).slice(1, 4).join(' '));
  expect(shown.toSorted()).toEqual(
    EXPECTED_EVENTS.map(({ tipo, agente, evidenceEventIds }) =>
      [tipo.replace('_pelo_usuario', ''), agente, evidenceEventIds.length].join(' '),
    ).sort(),
  );
  const times = rows.map((row) => row.slice(0, 17));
  expect(times).toEqual(times.toSorted().reverse());

  expect(barsUnder(stdout, 'By tipo')).toEqual(countBy('tipo'));
  expect(barsUnder(stdout, 'By agente')).toEqual(countBy('agente'));

  const reports = accountOf(stdout, 'reports');
  expect(reports.whole).toBe(EXPECTED_ANSWERS.length);
  expect(reports.parts).toEqual({ recorded: RECORDED, refused: EXPECTED_ANSWERS.length - RECORDED });
  const topic = accountOf(stdout, 'topic');
  const [sink, graph] = [accountOf(stdout, 'sink'), accountOf(stdout, 'graph')];
  for (const { whole, parts } of [reports, topic, sink, graph]) expect(sumOf(parts)).toBe(whole);
  expect([sink.whole, graph.whole]).toEqual([topic.whole, topic.whole]);
  expect(sink.parts).toMatchObject({ stored: EXPECTED_EVENTS.length, filtered: PROJECTABLE, quarantined: 0 });
  expect(graph.parts).toMatchObject({ stored: PROJECTABLE, duplicate: 0, quarantined: 0 });

  expect(stdout).toContain(
    `  select * from session_events where type = 'anamnese.agent_deviation'\n  ${EXPECTED_EVENTS.length} rows\n`,
  );
  expect(stdout).toMatch(/[1-9]\d* nodes and [1-9]\d* edges; none of them made by a deviation/);
  await expectNothingLeft(stderr);
};

test('it shows the deviations, the bars, an accounting that adds up and a graph without any, and leaves nothing', async () => {
  await expectTheWholeShow(await startDemo().ended(LIMIT_MS));
});

test('a second run is as good as the first, and what it tells to try next works on the database it has left', async () => {
  const second = await startDemo().ended(LIMIT_MS);
  await expectTheWholeShow(second);
  const queries = [...second.stdout.matchAll(/^ {2}DATABASE_URL=(\S+) npx deviations (query .+)$/gm)];
  expect(queries.length).toBeGreaterThan(0);
  for (const [, url = '', command = ''] of queries) {
    const answer = await startNode([PROGRAM, ...command.split(' ')], {
      env: { ...scene.env, DATABASE_URL: url },
      cwd: scene.folder,
    }).ended();
    expect({ command, ...answer }).toMatchObject({ code: 0, stderr: '' });
    expect(linesOf(answer.stdout).length).toBeGreaterThan(0);
  }
});

test('Ctrl-C in the middle ends it with 130 and cleans up as well', async () => {
  const demo = startDemo();
  await waitFor('both consumers to be started', () => demo.stderr().includes('started sink'), { seen: demo.stderr });
  demo.kill('SIGINT');
  const { code, stdout, stderr } = await demo.ended(LIMIT_MS);
  expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
  await expectNothingLeft(stderr);
});

test('killed without warning, it takes its consumers with it', async () => {
  const demo = startDemo();
  await waitFor('both consumers to be started', () => demo.stderr().includes('started sink'), { seen: demo.stderr });
  demo.kill('SIGKILL');
  const { stderr } = await demo.ended(LIMIT_MS);
  const run = runOf(stderr);
  // What was on the broker is left to whoever gave it; the test is, here.
  scene.alsoRemove({
    topics: [`session-events-demo-${run}`],
    groups: [`session-events-sink-demo-${run}`, `session-events-graph-demo-${run}`],
  });
  await waitFor('both consumers to end', () => !pidsOf(stderr).some(isAlive));
  expect(pidsOf(stderr)).toHaveLength(2);
});
