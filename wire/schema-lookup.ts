/**
 * The contract behind each schema id, asked for once. An id the registry does not know is asked for again within a grace
 * period, because a registry's node may lag behind; then it is unknown for a while, without a request per record.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { judgeWriter, type WriterContract } from './contract.ts';
import type { SchemaId } from './frame.ts';
import type { Registry } from './registry.ts';

export type IdContract = WriterContract | { readonly kind: 'unknown-id' };

export interface SchemaLookup {
  /** Settles within the grace period and the registry's own limits; rejects only on an outage. */
  contractOf(id: SchemaId): Promise<IdContract>;
  /** The contract, when it is known without asking. */
  cached(id: SchemaId): IdContract | undefined;
}

export interface LookupPolicy {
  /** How often an id that is not found is asked for (design section 5). */
  readonly asks: number;
  /** Over how long, in milliseconds. */
  readonly graceMs: number;
  /** For how long an unknown id is then not asked for again, in milliseconds. */
  readonly unknownForMs: number;
  /** How many ids are remembered; a flood of invented ones must not fill the memory. */
  readonly maxIds: number;
}

export const DEFAULT_LOOKUP_POLICY: LookupPolicy = { asks: 3, graceMs: 10_000, unknownForMs: 60_000, maxIds: 10_000 };

export const createSchemaLookup = (
  registry: Pick<Registry, 'schemaById'>,
  policy: LookupPolicy = DEFAULT_LOOKUP_POLICY,
): SchemaLookup => {
  const known = new Map<SchemaId, IdContract>();
  const unknownUntilMs = new Map<SchemaId, number>();
  const asking = new Map<SchemaId, Promise<IdContract>>();

  const remember = <V>(map: Map<SchemaId, V>, id: SchemaId, value: V): void => {
    if (map.size >= policy.maxIds) {
      for (const oldest of map.keys()) {
        map.delete(oldest);
        break;
      }
    }
    map.set(id, value);
  };

  const cached = (id: SchemaId): IdContract | undefined => {
    const contract = known.get(id);
    if (contract !== undefined) return contract;
    const until = unknownUntilMs.get(id);
    return until !== undefined && performance.now() < until ? { kind: 'unknown-id' } : undefined;
  };

  const ask = async (id: SchemaId): Promise<IdContract> => {
    for (let asked = 1; ; asked += 1) {
      const answer = await registry.schemaById(id);
      if (answer.known) {
        const contract = judgeWriter(answer.text);
        remember(known, id, contract);
        return contract;
      }
      if (asked >= policy.asks) {
        remember(unknownUntilMs, id, performance.now() + policy.unknownForMs);
        return { kind: 'unknown-id' };
      }
      await sleep(policy.graceMs / (policy.asks - 1));
    }
  };

  return {
    cached,
    contractOf: (id) => {
      const now = cached(id);
      if (now !== undefined) return Promise.resolve(now);
      const running = asking.get(id);
      if (running !== undefined) return running;
      const started = ask(id).finally(() => asking.delete(id));
      asking.set(id, started);
      return started;
    },
  };
};
