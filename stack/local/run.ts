import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StreamError } from '../../wire/errors.ts';
import { brokerAnswers, registryAnswers } from '../answers.ts';
import { postGuardian } from '../guardian.ts';
import { freePort } from '../ports.ts';
import type { Run, RunWish } from '../run.ts';
import { type ServerPlan, type Server, startServer } from '../server.ts';
import {
  BROKER_HEAP,
  BROKER_SETTINGS,
  BROKER_SETTINGS_FOR_TESTS,
  CLUSTER_ID,
  REGISTRY_PATH,
  asProperties,
} from '../settings.ts';
import { waitUntil } from '../wait.ts';
import { type Artifact, ensure, fileIn, kafkaArtifact, registryArtifact } from './artifacts.ts';
import { RUNS, newRunId } from '../folders.ts';
import { findJava, findOnPath } from './java.ts';
import { type OwnProcess, ownProcess } from './process.ts';
import { END_RUN, KEPT, sweep } from './sweep.ts';

/** Little memory and a quick start, which matter more here than speed later on. */
const JVM = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', BROKER_HEAP];

const FORMAT_LIMIT_MS = 60_000;
const MAVEN_LIMIT_MS = 600_000;

// There is no database here yet: it comes with the table that needs one. Until then `docker` is the way to it.
export const openLocalRun = async ({ environment, say, keep, signal }: RunWish): Promise<Run> => {
  const java = await findJava(environment);
  if (java === undefined) {
    throw new StreamError(
      'STACK_UNAVAILABLE',
      'no Java 17 or newer at JAVA_HOME, on the PATH or below /usr/lib/jvm',
      'Install one.',
    );
  }
  await sweep(say);

  const folder = join(RUNS, newRunId());
  const guardian = keep ? undefined : postGuardian(END_RUN, folder);
  await mkdir(folder, { recursive: true });
  if (keep) await writeFile(join(folder, KEPT), '');

  const processes: OwnProcess[] = [];
  const add = (name: string, program: string, args: readonly string[], env: NodeJS.ProcessEnv): OwnProcess => {
    const added = ownProcess(folder, { name, program, args, env });
    processes.push(added);
    return added;
  };
  // Only the PATH: variables such as QUARKUS_HTTP_PORT or JAVA_TOOL_OPTIONS would change the servers.
  const jvm = (name: string, args: readonly string[]): OwnProcess =>
    add(name, java.command, [...JVM, `-Dstack.run=${folder}`, ...args], { PATH: environment['PATH'] });

  const toTheEnd = async (step: OwnProcess, what: string, limitMs: number): Promise<void> => {
    await step.start();
    const isOver = await waitUntil(limitMs, signal, async () => !(await step.isRunning()));
    if (isOver && step.exitCode() === 0) return;
    const how = isOver ? 'failed' : `took more than ${limitMs / 1000} s`;
    throw new StreamError('STACK_UNAVAILABLE', `${what} ${how}`, `Its log is ${await step.keepLog()}.`);
  };

  const fetched = (artifact: Artifact): Promise<string> =>
    ensure(artifact, {
      fetching: join(folder, 'fetching'),
      mvn: async (args) => {
        const program = await findOnPath('mvn', environment);
        if (program === undefined) {
          throw new StreamError('STACK_UNAVAILABLE', 'no Maven (mvn) on the PATH', 'Install it.');
        }
        const step = add(`mvn-${artifact.name}`, program, ['-B', `-Dstack.run=${folder}`, ...args], { ...environment });
        await toTheEnd(step, `the download of ${artifact.name}`, MAVEN_LIMIT_MS);
      },
      say,
      signal,
    });

  const serve = (plan: Pick<ServerPlan, 'name' | 'address' | 'answers' | 'body'>): Promise<Server> =>
    startServer({ ...plan, say, signal });

  let brokers = 0;
  let registries = 0;
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await Promise.all(processes.map((each) => each.remove()));
    await rm(folder, { recursive: true, force: true });
    guardian?.dismiss();
  };

  return {
    howToStop: `sh '${END_RUN}' '${folder}'`,
    startBroker: async (settings = {}) => {
      const classes = join(await fetched(kafkaArtifact()), '*');
      const name = `broker-${++brokers}`;
      const [host, internal, controller] = [await freePort(), await freePort(), await freePort()];
      const address = `127.0.0.1:${host}`;
      const properties = join(folder, `${name}.properties`);
      await writeFile(
        properties,
        asProperties({
          ...BROKER_SETTINGS,
          ...BROKER_SETTINGS_FOR_TESTS,
          'controller.quorum.voters': `1@127.0.0.1:${controller}`,
          listeners: `INTERNAL://127.0.0.1:${internal},CONTROLLER://127.0.0.1:${controller},HOST://${address}`,
          'advertised.listeners': `INTERNAL://127.0.0.1:${internal},HOST://${address}`,
          'log.dirs': join(folder, `${name}-data`),
          ...settings,
        }),
      );
      const log4j = `-Dlog4j2.configurationFile=${join(import.meta.dirname, 'log4j2.properties')}`;
      const format = jvm(`${name}-format`, [
        log4j,
        '-cp',
        classes,
        'kafka.tools.StorageTool',
        'format',
        '-t',
        CLUSTER_ID,
        '-c',
        properties,
      ]);
      await toTheEnd(format, 'preparing the data folder of the broker', FORMAT_LIMIT_MS);
      const body = jvm(name, [log4j, '-cp', classes, 'kafka.Kafka', properties]);
      return serve({ name: 'broker', address, answers: () => brokerAnswers(address), body });
    },
    startRegistry: async () => {
      const app = await fetched(registryArtifact(java.major));
      const newer = join(app, 'quarkus-run.jar');
      const jar = existsSync(newer) ? newer : await fileIn(app, '-runner.jar');
      const [port, management] = [await freePort(), await freePort()];
      const address = `http://127.0.0.1:${port}${REGISTRY_PATH}`;
      const settings = { http: port, management } as const;
      const flags = Object.entries(settings).flatMap(([what, each]) => [
        `-Dquarkus.${what}.host=127.0.0.1`,
        `-Dquarkus.${what}.port=${each}`,
      ]);
      const body = jvm(`registry-${++registries}`, [...flags, '-jar', jar]);
      return serve({ name: 'registry', address, answers: () => registryAnswers(address), body });
    },
    close: () => (closing ??= close()),
  };
};
