/** The narrow ports over the Kafka client. */
export { type Cluster, type GroupShape, openCluster, type PartitionEnds, type TopicShape } from './admin.ts';
export { type KafkaSettings, SASL_MECHANISMS, type SaslMechanism } from './client.ts';
export { after, type Offset, offset } from './offset.ts';
export { createSender, type OutgoingRecord, type Sender } from './sender.ts';
export { createSource, type Source, type SourceBatch, type SourceRecord, type SourceSettings } from './source.ts';
