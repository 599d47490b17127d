/** A registry seen from outside: what stands in it, and one that dies at a write. */
import { type Contract, EVENT_TYPES, isSameSchema } from '../../schemas/index.ts';
import type { Registry } from '../../wire/index.ts';

/** What a busy machine's registry may take for an answer, in milliseconds: only its words are judged. */
export const PATIENT_MS = 60_000;

/** Each subject's level, and which published text stands at each of its versions. */
export const stateOf = async (registry: Registry, { governance }: Contract): Promise<unknown> => {
  const state: Record<string, unknown> = {};
  for (const subject of EVENT_TYPES) {
    const texts = (await registry.versions(subject)).map(({ text }) =>
      governance.lock[subject]?.findIndex((published) => isSameSchema(published.text, text)),
    );
    state[subject] = { level: await registry.level(subject), texts };
  }
  return state;
};

/** A registry that dies at its n-th write, before the registry has it or after; `nth` of Infinity only counts. */
export const dyingAt = (registry: Registry, nth: number, when: 'before' | 'after') => {
  let writes = 0;
  const dying =
    <A extends readonly unknown[], R>(write: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      writes += 1;
      if (writes === nth && when === 'before') throw new Error('killed');
      const answer = await write(...given);
      if (writes >= nth) throw new Error('killed');
      return answer;
    };
  return {
    registry: {
      ...registry,
      register: dying((subject: string, text: string) => registry.register(subject, text)),
      setLevel: dying((subject: string, level: string) => registry.setLevel(subject, level)),
    },
    writes: () => writes,
  };
};
