import { join } from 'node:path';
import type { GenericContainer } from 'testcontainers';
import { brokerAnswers, databaseAnswers, registryAnswers } from '../answers.ts';
import { newRunId } from '../folders.ts';
import { postGuardian } from '../guardian.ts';
import { IMAGES } from '../images.ts';
import { freePort } from '../ports.ts';
import type { Run, RunWish } from '../run.ts';
import { type Server, type ServerPlan, startServer } from '../server.ts';
import {
  BROKER_HEAP,
  BROKER_SETTINGS,
  BROKER_SETTINGS_FOR_TESTS,
  CLUSTER_ID,
  DATABASE,
  REGISTRY_PATH,
  asImageEnvironment,
} from '../settings.ts';
import { containerBody, removeContainer } from './container.ts';

const LABEL = 'session-events.run';
const HOST_PORT = 29_092;

/** Everything but the address that clients on this machine are told, which the port makes. */
export const BROKER_ENVIRONMENT: Readonly<Record<string, string>> = {
  CLUSTER_ID,
  KAFKA_HEAP_OPTS: BROKER_HEAP,
  KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
  KAFKA_LISTENERS: `INTERNAL://:9092,CONTROLLER://:9093,HOST://:${HOST_PORT}`,
  ...asImageEnvironment(BROKER_SETTINGS),
};

export const DATABASE_ENVIRONMENT: Readonly<Record<string, string>> = {
  POSTGRES_USER: DATABASE.user,
  POSTGRES_PASSWORD: DATABASE.password,
  POSTGRES_DB: DATABASE.name,
};

export interface DockerRun extends Run {
  startDatabase(): Promise<Server>;
}

export const openDockerRun = async ({ say, keep, signal }: RunWish): Promise<DockerRun> => {
  // Its own cleaner, Ryuk, needs an image more, and it would remove what shall be kept. Read when the module is loaded.
  process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
  const { GenericContainer: Container, Wait, getContainerRuntimeClient } = await import('testcontainers');
  const client = await getContainerRuntimeClient();
  const { host } = client.info.containerRuntime;
  const runId = newRunId();
  const guardian = keep ? undefined : postGuardian(join(import.meta.dirname, 'end-run.sh'), runId);

  /*
   * The port on this machine is chosen here and not by the engine, which would choose another at every restart; so the
   * broker can also be told its address from the beginning. The first word in the log is enough to go on with, because
   * startServer asks the server itself, as it does for a process.
   */
  const serve = async (
    name: string,
    plan: Pick<ServerPlan, 'address' | 'answers'>,
    container: GenericContainer,
  ): Promise<Server> => {
    const prepared = container
      .withLabels({ [LABEL]: runId })
      .withAutoRemove(false)
      .withWaitStrategy(Wait.forLogMessage(/./));
    const body = containerBody(`${runId}-${name}`, prepared, client.container);
    return startServer({ ...plan, name, body, say, signal });
  };

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    // By the label and not by a list kept here, so that a container whose start went wrong is found too.
    const filters = { label: [`${LABEL}=${runId}`] };
    const left = await client.container.dockerode.listContainers({ all: true, filters });
    await Promise.all(left.map(({ Id }) => removeContainer(client.container.getById(Id))));
    guardian?.dismiss();
  };

  return {
    howToStop: `docker rm -fv $(docker ps -aq --filter label=${LABEL}=${runId})`,
    startBroker: async (settings = {}) => {
      const port = await freePort();
      const address = `${host}:${port}`;
      const container = new Container(IMAGES.kafka)
        .withHostname('kafka')
        .withExposedPorts({ container: HOST_PORT, host: port })
        .withEnvironment({
          ...BROKER_ENVIRONMENT,
          KAFKA_ADVERTISED_LISTENERS: `INTERNAL://kafka:9092,HOST://${address}`,
          ...asImageEnvironment({ ...BROKER_SETTINGS_FOR_TESTS, ...settings }),
        });
      return serve('broker', { address, answers: () => brokerAnswers(address) }, container);
    },
    startRegistry: async () => {
      const port = await freePort();
      const address = `http://${host}:${port}${REGISTRY_PATH}`;
      const container = new Container(IMAGES.registry).withExposedPorts({ container: 8080, host: port });
      return serve('registry', { address, answers: () => registryAnswers(address) }, container);
    },
    startDatabase: async () => {
      const port = await freePort();
      const address = `${host}:${port}`;
      const container = new Container(IMAGES.postgres)
        .withExposedPorts({ container: 5432, host: port })
        .withEnvironment({ ...DATABASE_ENVIRONMENT });
      const answers = () => databaseAnswers(address, DATABASE.user, DATABASE.name);
      return serve('database', { address, answers }, container);
    },
    close: () => (closing ??= close()),
  };
};
