export type BrokerSettings = Readonly<Record<string, string>>;

/** The settings of a single broker, by the names of server.properties. The listeners differ by the way it is started. */
export const BROKER_SETTINGS: BrokerSettings = {
  'node.id': '1',
  'process.roles': 'broker,controller',
  'controller.listener.names': 'CONTROLLER',
  'inter.broker.listener.name': 'INTERNAL',
  'listener.security.protocol.map': 'INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT,HOST:PLAINTEXT',
  // One broker: every internal topic has one replica, and a single partition is created faster than fifty.
  'offsets.topic.replication.factor': '1',
  'offsets.topic.num.partitions': '1',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'share.coordinator.state.topic.replication.factor': '1',
  'share.coordinator.state.topic.min.isr': '1',
  // A first consumer need not wait for others to join its group.
  'group.initial.rebalance.delay.ms': '0',
  // A mistyped topic name is an error, not a new topic.
  'auto.create.topics.enable': 'false',
};

/** What only a broker to test on has: the place of a killed consumer is free after a second instead of six. */
export const BROKER_SETTINGS_FOR_TESTS: BrokerSettings = { 'group.min.session.timeout.ms': '1000' };

/** Any valid id will do, because no two brokers here ever form one cluster. */
export const CLUSTER_ID = '5L6g3nShT-eMCtK--X86sw';

export const BROKER_HEAP = '-Xmx512m';

export const DATABASE = { user: 'app', password: 'secret', name: 'events' } as const;

/** Where Apicurio offers the interface of Confluent's registry. */
export const REGISTRY_PATH = '/apis/ccompat/v7';

/** The way the container image takes a setting: `node.id` is KAFKA_NODE_ID. */
export const asImageEnvironment = (settings: BrokerSettings): Record<string, string> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`KAFKA_${name.toUpperCase().replaceAll('.', '_')}`, value]),
  );

/** The text of a server.properties file. */
export const asProperties = (settings: BrokerSettings): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
