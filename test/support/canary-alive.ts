/** Places that only a caller in the same process has: getters, functions, proxies, classes, symbols. */
import { type Deed, type Draft, put } from './canary-draft.ts';

const getter = (owner: object, key: PropertyKey, get: () => unknown): void => {
  Object.defineProperty(owner, key, { get, enumerable: true, configurable: true });
};

const biting = (text: string) => (): never => {
  throw new Error(text, { cause: text });
};

/** A caller's own kind of object; not plain, so not JSON. */
class Pessoa {
  readonly nome: string;
  readonly agente = 'desenvolvedor';
  readonly tipo = 'laco';
  constructor(nome: string) {
    this.nome = nome;
  }
}

export const DISCARDED_ALIVE: readonly Deed[] = [
  {
    place: 'getter',
    needs: ['input'],
    plant: ({ input, plant, random }) => {
      const text = plant.text('getter');
      getter(input, 'nome', random.chance(0.5) ? () => text : biting(text));
    },
  },
  {
    place: 'symbol key',
    needs: ['input'],
    plant: ({ input, plant }) => put(input, Symbol(plant.text('symbol key')), plant.text('symbol key')),
  },
  {
    place: 'hidden key',
    needs: ['input'],
    plant: ({ input, plant }) => {
      const text = plant.text('hidden key');
      Object.defineProperty(input, text, { value: text, enumerable: false });
    },
  },
  {
    place: 'toJSON',
    needs: ['input'],
    plant: ({ input, plant }) => {
      const said = { agente: plant.slug('toJSON'), tipo: 'laco', evidenceEventIds: [plant.uuid('toJSON')] };
      put(input, 'toJSON', () => said);
    },
  },
  {
    place: 'map, set, bytes and bigint',
    needs: ['input'],
    plant: ({ input, plant }) => {
      const place = 'map, set, bytes and bigint';
      put(input, 'mapa', new Map([[plant.text(place), new Set([plant.text(place)])]]));
      put(input, 'bytes', Buffer.from(plant.word(place)));
      put(input, 'numero', BigInt(plant.number(place)));
    },
  },
  {
    place: 'evidence with a life of its own',
    needs: ['input', 'evidence'],
    plant: ({ evidence, plant, atEnd }) => {
      const place = 'evidence with a life of its own';
      put(evidence, plant.text(place), plant.text(place));
      const said = plant.text(place);
      put(evidence, 'toJSON', () => [said]);
      const bite = biting(plant.text(place));
      atEnd.push(() => getter(evidence, String(evidence.length), bite));
    },
  },
  {
    place: 'context getter',
    needs: ['context'],
    plant: ({ context, plant }) => getter(context, 'usuario', biting(plant.text('context getter'))),
  },
  {
    place: 'look-up',
    needs: ['context', 'sessionEventIds'],
    plant: (draft) => {
      draft.lookUp = 'function';
      draft.known.add(draft.plant.uuid('look-up'));
    },
  },
];

const inContext = (draft: Draft, key: string, get: () => unknown): void => getter(draft.context, key, get);

export const REFUSED_ALIVE: readonly Deed[] = [
  {
    place: 'getter of a field',
    needs: ['input'],
    plant: ({ input, plant, random }) =>
      getter(input, random.pick(['agente', 'tipo']), biting(plant.text('getter of a field'))),
  },
  {
    place: 'context getter that throws',
    needs: ['context', 'toolCallId', 'occurredAt', 'sessionEventIds'],
    plant: (draft) => {
      const key = draft.random.pick(['sessionId', 'toolCallId', 'occurredAt', 'sessionEventIds', 'traceparent']);
      inContext(draft, key, biting(draft.plant.text('context getter that throws')));
    },
  },
  {
    place: 'look-up that fails',
    needs: ['context', 'sessionEventIds'],
    plant: ({ context, plant, random }) => {
      const text = plant.text('look-up that fails');
      put(
        context,
        'sessionEventIds',
        random.pick<() => unknown>([
          biting(text),
          () => Promise.reject(new Error(text)),
          () => Promise.resolve([text]),
          () => text,
        ]),
      );
    },
  },
  {
    place: 'boxed word',
    needs: ['input'],
    plant: ({ input, plant, random }) => {
      const boxed = Object.assign(new String(random.pick(['laco', 'desenvolvedor'])), {
        nome: plant.text('boxed word'),
      });
      put(input, random.pick(['tipo', 'agente']), boxed);
    },
  },
  {
    place: 'object that says a word',
    needs: ['input'],
    plant: ({ input, plant }) => {
      const nome = plant.text('object that says a word');
      put(input, 'tipo', { toString: () => 'laco', toJSON: () => 'laco', nome });
    },
  },
  {
    place: 'proxy',
    needs: ['input', 'evidence'],
    plant: (draft) => {
      const bite = biting(draft.plant.text('proxy'));
      draft.instead.input = new Proxy(
        {},
        draft.random.pick<ProxyHandler<object>>([
          { ownKeys: bite },
          { getPrototypeOf: bite },
          { ownKeys: bite, getOwnPropertyDescriptor: bite },
        ]),
      );
    },
  },
  {
    place: 'inherited fields',
    needs: ['input', 'evidence'],
    plant: (draft) => {
      const heir: object = Object.create(draft.input); // an object, whatever its prototype
      put(heir, draft.plant.text('inherited fields'), draft.plant.text('inherited fields'));
      draft.instead.input = heir;
    },
  },
  {
    place: 'object of a class',
    needs: ['input', 'evidence'],
    plant: (draft) => {
      draft.instead.input = new Pessoa(draft.plant.text('object of a class'));
    },
  },
  {
    place: 'no report at all',
    needs: ['report', 'context', 'input', 'evidence', 'toolCallId', 'occurredAt', 'sessionEventIds'],
    plant: (draft) => {
      const { plant, random } = draft;
      const text = plant.text('no report at all');
      const bite = biting(text);
      draft.instead.report = random.pick<() => unknown>([
        () => text,
        () => [text],
        () => Symbol(text),
        () => new Proxy({}, { get: bite, ownKeys: bite, getPrototypeOf: bite }),
      ])();
    },
  },
];
