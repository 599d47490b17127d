/** The narrow ports over the Kafka client. */
export { type Cluster, type GroupShape, openCluster, type PartitionEnds, type TopicShape } from './admin.ts';
export type { KafkaSettings } from './client.ts';
export { after, type Offset, offset } from './offset.ts';
export type { OwnGroupSettings } from './own-group.ts';
export { hasHeader, schemaIdOf } from './packed-record.ts';
export { type Place, type PlaceRead, readPlace, readPlaces } from './read-places.ts';
export { type ReadingNews, type ReadPart, readTopic, type TopicReading } from './read-topic.ts';
export { createSender, type OutgoingRecord, type Sender } from './sender.ts';
export { createSource, type Source, type SourceBatch, type SourceSettings } from './source.ts';
export type { SourceRecord } from './source-record.ts';
