/** Loaded before a sink (`node --import`): its modules are read as `FAULT_SINK_MUTANT` has them. */
import { registerHooks } from 'node:module';
import { MUTANTS, mutated } from './faults-sink-mutants.ts';

const mutant = MUTANTS.find((one) => one === process.env['FAULT_SINK_MUTANT']);
if (mutant === undefined) throw new Error('FAULT_SINK_MUTANT names no mutant');

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('.ts') || loaded.source === undefined || loaded.source === null) return loaded;
    const text =
      typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString();
    return { ...loaded, source: mutated(mutant, url, text) };
  },
});
