/** What the programs here share: arguments that a model may say, good ones and one that breaks the schema. */
export const GOOD = {
  agente: 'po',
  tipo: 'reparo_pelo_usuario',
  evidenceEventIds: ['4c1f7a90-52d3-4e8b-9a06-1d7be0a3c512'],
};

export const BAD = { ...GOOD, tipo: 'erro' };

/** A `fetch` that answers every request with the same JSON and keeps what was sent. */
export const answering = (answer: object): { readonly fetch: typeof fetch; readonly bodies: unknown[] } => {
  const bodies: unknown[] = [];
  return {
    bodies,
    fetch: (_url, init) => {
      bodies.push(typeof init?.body === 'string' ? JSON.parse(init.body) : init?.body);
      return Promise.resolve(Response.json(answer));
    },
  };
};

/** The same without one key, at any type: a spoiled projection. */
export const without = (value: object, key: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
