/** The fuzz through the real thing: the program's processes, an outbox, a broker, a registry, a database. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aLineCall, aMessageCall, type CanaryCall, type LineCall, notPlanted } from './canary-call.ts';
import { startConsumers } from './canary-consumers.ts';
import { CATALOGUE } from './canary-draft.ts';
import { filesOf, listingsOf, type Surface, tablesOf, topicOf } from './canary-surfaces.ts';
import { Tally } from './canary-tally.ts';
import { deviations, linesOf, startDeviations } from './processes.ts';
import { count } from './stack-database.ts';
import { enterScene, type Scene } from './stack-scene.ts';

export interface StackWish {
  readonly calls: number;
  readonly seed: number;
}

const HUGE_EVERY = 499;
/** One call in ten goes through MCP. */
const MCP_EVERY = 10;
const PLAY_LIMIT_MS = 600_000;

/** The scene's environment at the noisiest level, with the catalogue of the drafts. */
export const noisyEnv = (scene: Scene): Readonly<Record<string, string>> => {
  const agentsFile = join(scene.folder, 'agents.txt');
  writeFileSync(agentsFile, CATALOGUE.join('\n'));
  return { ...scene.env, LOG_LEVEL: 'debug', AGENTS_FILE: agentsFile, OUTBOX_FILE: join(scene.folder, 'outbox.db') };
};

const inputOf = (calls: readonly LineCall[]): Buffer =>
  Buffer.concat(calls.flatMap(({ line }) => [line, Buffer.from('\n')]));

interface McpAnswer {
  readonly result?: { readonly structuredContent?: { readonly recorded: boolean; readonly code?: string } };
}

/** The lines go in, and every answer comes out. */
const play = async (
  args: readonly string[],
  calls: readonly LineCall[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<{ readonly answers: readonly unknown[]; readonly surfaces: readonly Surface[] }> => {
  const ended = await startDeviations(args, { env, cwd, input: inputOf(calls) }).ended(PLAY_LIMIT_MS);
  const lines = linesOf(ended.stdout);
  if (ended.code !== 0 || lines.length !== calls.length) {
    throw new Error(
      `${args.join(' ')}: exit code ${ended.code}, ${lines.length} answers to ${calls.length} lines: ${ended.stderr}`,
    );
  }
  return {
    answers: lines.map((line): unknown => JSON.parse(line)),
    surfaces: [
      { name: `stdout of ${args[0]}`, text: ended.stdout },
      { name: `stderr of ${args[0]}`, text: ended.stderr },
    ],
  };
};

/** Plays the calls and waits until both consumers have read them; answers what can be read of it, while they still run. */
const playAll = async (
  scene: Scene,
  lines: readonly LineCall[],
  messages: readonly LineCall[],
  tally: Tally,
): Promise<readonly Surface[]> => {
  const env = noisyEnv(scene);
  const consumers = await startConsumers(scene, env);
  const reported = await play(['report'], lines, env, scene.folder);
  const served = await play(['mcp', '--drain', '30s'], messages, env, scene.folder);
  for (const answer of reported.answers) tally.answered(answer as { readonly recorded: boolean }); // as the command prints it
  for (const answer of served.answers) {
    const said = (answer as McpAnswer).result?.structuredContent; // as MCP answers
    if (said !== undefined) tally.answered(said);
  }
  await consumers.caughtUp();
  tally.count(tally.judged, 'row', count(scene.databaseFile, 'select count(*) from session_events'));
  tally.count(tally.judged, 'quarantined', count(scene.databaseFile, 'select count(*) from quarantine'));

  // While the write-ahead logs are still there.
  const open = filesOf(scene.folder);
  const topic = await topicOf(scene);
  const listings = await listingsOf((args) => deviations(args, { env, cwd: scene.folder }));
  const pages = await consumers.pages();
  const logs = await consumers.stop();
  return [
    ...reported.surfaces,
    ...served.surfaces,
    ...open,
    ...filesOf(scene.folder),
    { name: 'tables', text: tablesOf(scene.databaseFile) },
    ...topic,
    ...listings,
    ...pages,
    ...logs,
  ];
};

export const runStackFuzz = async ({ calls, seed }: StackWish): Promise<Tally> => {
  const tally = new Tally();
  const wishOf = (number: number) => ({ seed, number, refused: 0.3, hugeEvery: HUGE_EVERY });
  const numbers = Array.from({ length: calls }, (_, number) => number);
  const lines = numbers.filter((number) => number % MCP_EVERY !== 0).map((number) => aLineCall(wishOf(number)));
  const messages = numbers.filter((number) => number % MCP_EVERY === 0).map((number) => aMessageCall(wishOf(number)));
  const all: readonly LineCall[] = [...lines, ...messages];
  for (const call of all) tally.plantedIn(call, await notPlanted(call));
  const scene = await enterScene('nothing-of-a-person', { partitions: 3 });
  try {
    search(await playAll(scene, lines, messages, tally), all, tally);
    return tally;
  } finally {
    await scene.leave();
  }
};

export const search = (surfaces: readonly Surface[], calls: readonly CanaryCall[], tally: Tally): void => {
  for (const { name, text } of surfaces) tally.searchAll(calls, name, text);
};
