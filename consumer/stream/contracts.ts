/** The contract behind each schema id of some records: what judging them needs to know beforehand. */
import type { IdContract, kafka, SchemaId, SchemaLookup } from '../../wire/index.ts';
import { schemaIdsIn } from './read-record.ts';

/** Rejects only on an outage of the registry. */
export const contractsFor = async (
  lookup: SchemaLookup,
  records: readonly kafka.SourceRecord[],
): Promise<ReadonlyMap<SchemaId, IdContract>> =>
  new Map(
    await Promise.all(
      [...schemaIdsIn(records)].map(
        async (id): Promise<[SchemaId, IdContract]> => [id, lookup.cached(id) ?? (await lookup.contractOf(id))],
      ),
    ),
  );
