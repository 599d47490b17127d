/** Where a model or an engine can put words, as JSON: each place with the deed that puts a mark there. */
import { type Deed, put } from './canary-draft.ts';
import { randomUuid } from './canary-random.ts';

const nested = (value: unknown, depth: number): unknown =>
  Array.from({ length: depth }).reduce<unknown>((inner, _, at) => (at % 2 === 0 ? [inner] : { fundo: inner }), value);

const PROTOTYPE_KEYS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'] as const;

/** The report stays what it is: the mark is discarded, counted, cut off or ignored. */
export const DISCARDED: readonly Deed[] = [
  {
    place: 'toolCallId',
    needs: ['context', 'toolCallId'],
    plant: ({ context, plant }) => put(context, 'toolCallId', plant.word('toolCallId')),
  },
  {
    place: 'occurredAt beyond milliseconds',
    needs: ['context', 'occurredAt'],
    plant: ({ context, plant }) =>
      put(context, 'occurredAt', `2026-11-30T12:00:00.123${plant.digits('occurredAt beyond milliseconds')}Z`),
  },
  {
    place: 'invented key',
    needs: ['input'],
    plant: ({ input, plant }) => put(input, plant.text('invented key'), true),
  },
  {
    place: 'invented value',
    needs: ['input'],
    plant: ({ input, plant }) => put(input, 'observacao', plant.text('invented value')),
  },
  {
    place: 'invented number',
    needs: ['input'],
    plant: ({ input, plant }) => put(input, 'cpf', plant.number('invented number')),
  },
  {
    place: 'nested value',
    needs: ['input'],
    plant: ({ input, plant, random }) =>
      put(input, 'detalhes', nested({ [plant.text('nested key')]: plant.text('nested value') }, random.below(40))),
  },
  {
    place: 'prototype key',
    needs: ['input'],
    plant: ({ input, plant, random }) =>
      put(input, random.pick(PROTOTYPE_KEYS), { agente: plant.text('prototype key'), tipo: 'laco' }),
  },
  {
    place: 'lone surrogate',
    needs: ['input'],
    plant: ({ input, plant }) => put(input, plant.brokenText('lone surrogate'), plant.brokenText('lone surrogate')),
  },
  {
    place: 'huge string',
    needs: ['input', 'huge'],
    plant: ({ input, plant }) => put(input, 'transcricao', plant.huge('huge string')),
  },
  {
    place: 'malformed evidence',
    needs: ['input', 'evidence'],
    plant: ({ evidence, plant, random }) => {
      const place = 'malformed evidence';
      const item = random.pick(['text', 'braces', 'urn', 'number', 'object']);
      if (item === 'text') evidence.push(plant.text(place));
      if (item === 'braces') evidence.push(`{${plant.uuid(place)}}`);
      if (item === 'urn') evidence.push(`urn:uuid:${plant.uuid(place)}`);
      if (item === 'number') evidence.push(plant.number(place));
      if (item === 'object') evidence.push({ id: plant.uuid(place), texto: plant.text(place) });
    },
  },
  {
    place: 'unknown evidence',
    needs: ['input', 'evidence', 'context', 'sessionEventIds'],
    plant: (draft) => {
      if (draft.lookUp === 'none') draft.lookUp = 'list';
      draft.evidence.push(draft.plant.uuid('unknown evidence'));
    },
  },
  {
    place: 'evidence over the ceiling',
    needs: ['input', 'evidence'],
    plant: ({ evidence, known, plant, random }) => {
      const kept = Array.from({ length: 20 }, () => randomUuid(random));
      const over = plant.uuid('evidence over the ceiling');
      evidence.unshift(...kept);
      evidence.push(over);
      for (const id of [...kept, over]) known.add(id);
    },
  },
  {
    place: 'event of the session',
    needs: ['context', 'sessionEventIds'],
    plant: (draft) => {
      if (draft.lookUp === 'none') return;
      draft.known.add(draft.plant.uuid('event of the session'));
    },
  },
  {
    place: 'invented context',
    needs: ['context'],
    plant: ({ context, plant }) => {
      put(context, plant.text('invented context'), { usuario: plant.text('invented context') });
      put(context, '__proto__', plant.text('invented context'));
    },
  },
  {
    place: 'beside context and input',
    needs: ['report'],
    plant: ({ report, plant }) =>
      put(report, plant.text('beside context and input'), plant.text('beside context and input')),
  },
  {
    place: 'traceparent',
    needs: ['context'],
    plant: ({ context, plant, random }) => {
      const place = 'traceparent';
      const hex = `${random.hex(18)}${plant.digits(place)}`;
      put(
        context,
        place,
        random.pick([
          `00-${hex}-${random.hex(16)}-01 `,
          `ff-${hex}-${random.hex(16)}-01`,
          `00-${hex}A-${random.hex(16)}-01`,
          `00-${hex}-${random.hex(16)}-01-usuario`,
          { toString: hex },
        ]),
      );
    },
  },
];
