import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Cli, Command } from '../command.ts';
import { readConfig } from '../config.ts';
import { type Io, type OpenedStack, writeLine } from '../io.ts';

/** Names of this run's own: on a stack that was given, nothing of anybody else's is touched. */
interface Names {
  readonly topic: string;
  readonly groups: { readonly sink: string; readonly graph: string };
  readonly folder: string;
}

const namesFor = (stack: OpenedStack): Names => {
  const run = randomUUID().slice(0, 8);
  const folder = join('data', `demo-${run}`);
  return stack.kind === 'given'
    ? {
        topic: `session-events-demo-${run}`,
        groups: { sink: `session-events-sink-demo-${run}`, graph: `session-events-graph-demo-${run}` },
        folder,
      }
    : {
        topic: 'session-events',
        groups: { sink: 'session-events-sink', graph: 'session-events-graph' },
        folder,
      };
};

const environmentOf = (stack: OpenedStack, names: Names, agentsFile: string, env: Io['env']): Io['env'] => ({
  ...env,
  ...stack.env,
  SESSION_EVENTS_TOPIC: names.topic,
  DATABASE_URL: `sqlite:${join(names.folder, 'session-events.db')}`,
  OUTBOX_FILE: join(names.folder, 'outbox.db'),
  AGENTS_FILE: agentsFile,
});

const KEPT = [
  'KAFKA_BROKERS',
  'SCHEMA_REGISTRY_URL',
  'SESSION_EVENTS_TOPIC',
  'DATABASE_URL',
  'OUTBOX_FILE',
  'AGENTS_FILE',
] as const;

const runDemo = async (cli: Cli, keep: boolean): Promise<number> => {
  const { io } = cli;
  const say = (line: string): void => void io.stderr.write(`${line}\n`);
  const [wire, consumer, examples, play, processes, { caughtUp }, { showDemo }, { createLog }] = await Promise.all([
    import('../../wire/index.ts'),
    import('../../consumer/index.ts'),
    import('../demo/examples.ts'),
    import('../demo/play.ts'),
    import('../demo/consumer-process.ts'),
    import('../demo/catch-up.ts'),
    import('../demo/show.ts'),
    import('../log.ts'),
  ]);

  const stack = await cli.openStack({ environment: io.env, say, keep, signal: io.stop });
  const names = namesFor(stack);
  const env = environmentOf(stack, names, examples.AGENTS_FILE, io.env);
  const config = readConfig({}, env);
  const log = createLog('warn', io.stderr);
  const running: { stop(): Promise<void> }[] = [];
  let isKept = false;
  const cluster = await wire.kafka.openCluster(config.kafka(), log);
  try {
    mkdirSync(names.folder, { recursive: true });
    await cluster.createTopic(names.topic, 6, 1);
    say(`created topic ${names.topic}`);
    const registered = await wire.registerSchemas(wire.createRegistry(config.registry()));
    say(`registered ${registered.map(({ subject }) => subject).join(', ')}`);
    await consumer.migrate(config.database());
    say(`made the tables in ${names.folder}`);
    const consumers = wire.CONSUMERS.map((word) =>
      processes.startConsumer({ consumer: word, group: names.groups[word], env, folder: names.folder, keep }),
    );
    running.push(...consumers);
    say(`started ${consumers.map((one) => `${one.consumer} (process ${one.pid})`).join(' and ')}`);

    const { answers, repeats } = await play.playReports(config, log);
    const projectable = await play.playProjectable(config, log);
    say(`played ${answers.length} reports and ${projectable} projectable events, waiting for both consumers`);
    const reader = consumer.openReader(config.database());
    try {
      await caughtUp(names.topic, await cluster.ends(names.topic), reader, consumers, io.stop);
      if (io.stop.aborted) return 0;
      await showDemo(reader, { answers, repeats, projectable, topic: names.topic }, cli.screen);
    } finally {
      await reader.close();
    }

    await writeLine(io.stdout, '');
    await writeLine(io.stdout, 'Try next');
    const database = `DATABASE_URL=${env.DATABASE_URL}`;
    await writeLine(io.stdout, `  ${database} npx deviations query --tipo laco --agente desenvolvedor`);
    await writeLine(io.stdout, `  ${database} npx deviations query --since 2026-11-01 -o ndjson`);
    await writeLine(
      io.stdout,
      `  AGENTS_FILE=examples/agents.txt npx deviations report --dry-run < examples/reports.ndjson`,
    );
    if (keep) {
      isKept = true;
      await writeLine(io.stdout, '');
      await writeLine(io.stdout, 'Still running. To use it');
      for (const name of KEPT) await writeLine(io.stdout, `  export ${name}=${env[name]}`);
      await writeLine(io.stdout, 'and then, for instance');
      for (const command of ['status', 'doctor', 'tail -f']) await writeLine(io.stdout, `  npx deviations ${command}`);
      await writeLine(io.stdout, 'To stop it');
      await writeLine(io.stdout, `  kill ${consumers.map(({ pid }) => pid).join(' ')}`);
      if (stack.howToStop !== '') await writeLine(io.stdout, `  ${stack.howToStop}`);
    }
    return 0;
  } finally {
    if (!isKept) {
      await Promise.all(running.map((one) => one.stop()));
      if (stack.kind === 'given') {
        for (const group of Object.values(names.groups)) await cluster.deleteGroup(group).catch(() => {});
        await cluster.deleteTopic(names.topic).catch(() => say(`topic ${names.topic} could not be deleted`));
      }
    }
    await cluster.close();
    if (!isKept) await stack.stop();
  }
};

export const demoCommand = (cli: Cli): Command =>
  new Command('demo')
    .description('see it work: a real broker, a real registry, recorded reports, both consumers, and what they stored')
    .option('--keep', 'leave everything running and say how to stop it')
    .action((flags: { readonly keep?: boolean }) => cli.endsItself(runDemo(cli, flags.keep ?? false)));
