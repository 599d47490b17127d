/** Where words of a model or an engine break a rule, as JSON: each place with the deed that puts a mark there. */
import { type Deed, put } from './canary-draft.ts';

/** The report is refused, and the mark stands where the rule was broken. */
export const REFUSED: readonly Deed[] = [
  {
    place: 'tipo',
    needs: ['input'],
    plant: ({ input, plant, random }) => {
      const wrong = random.pick(['text', 'number', 'list', 'object', 'huge']);
      if (wrong === 'text' || wrong === 'huge') put(input, 'tipo', plant.text('tipo'));
      if (wrong === 'number') put(input, 'tipo', plant.number('tipo'));
      if (wrong === 'list') put(input, 'tipo', ['laco', plant.text('tipo')]);
      if (wrong === 'object') put(input, 'tipo', { laco: plant.text('tipo') });
    },
  },
  {
    place: 'agente',
    needs: ['input'],
    plant: ({ input, plant, random }) => {
      const wrong = random.pick(['text', 'slug', 'number', 'object']);
      if (wrong === 'text') put(input, 'agente', plant.text('agente'));
      if (wrong === 'slug') put(input, 'agente', plant.slug('agente'));
      if (wrong === 'number') put(input, 'agente', plant.number('agente'));
      if (wrong === 'object') put(input, 'agente', { desenvolvedor: plant.text('agente') });
    },
  },
  {
    place: 'evidence that is no list',
    needs: ['input', 'evidence'],
    plant: ({ input, plant, random }) =>
      put(
        input,
        'evidenceEventIds',
        random.chance(0.5) ? plant.text('evidence that is no list') : { 0: plant.uuid('evidence that is no list') },
      ),
  },
  {
    place: 'evidence too long',
    needs: ['input', 'evidence'],
    plant: ({ input, plant, random }) =>
      put(input, 'evidenceEventIds', [
        plant.uuid('evidence too long'),
        ...Array.from({ length: 1_000 }, () => 'x'),
        ...(random.chance(0.5) ? [plant.text('evidence too long')] : []),
      ]),
  },
  {
    place: 'fields wrapped',
    needs: ['input', 'evidence'],
    plant: (draft) => {
      draft.instead.input = { arguments: draft.input, [draft.plant.text('fields wrapped')]: 1 };
    },
  },
  {
    place: 'input that is no object',
    needs: ['input', 'evidence'],
    plant: (draft) => {
      const { plant, random } = draft;
      const place = 'input that is no object';
      draft.instead.input = random.pick([
        () => plant.text(place),
        () => JSON.stringify({ agente: plant.slug(place), tipo: 'laco' }),
        () => [{ agente: plant.text(place), tipo: 'laco', evidenceEventIds: [] }],
        () => plant.number(place),
      ])();
    },
  },
  {
    place: 'context that is no object',
    needs: ['context', 'toolCallId', 'occurredAt', 'sessionEventIds'],
    plant: (draft) => {
      const { plant, random } = draft;
      const place = 'context that is no object';
      draft.instead.context = random.chance(0.5) ? plant.text(place) : [{ sessionId: plant.uuid(place) }];
    },
  },
  ...(['sessionId', 'projectId'] as const).map(
    (place): Deed => ({
      place,
      needs: ['context'],
      plant: ({ context, plant, random }) => {
        const wrong = random.pick(['text', 'braces', 'number']);
        if (wrong === 'text') put(context, place, plant.text(place));
        if (wrong === 'braces') put(context, place, `{${plant.uuid(place)}}`);
        if (wrong === 'number') put(context, place, plant.number(place));
      },
    }),
  ),
  {
    place: 'toolCallId with a space',
    needs: ['context', 'toolCallId'],
    plant: ({ context, plant, random }) => {
      const word = plant.word('toolCallId with a space');
      put(context, 'toolCallId', random.chance(0.5) ? `${word} ` : word.padEnd(257, 'x'));
    },
  },
  {
    place: 'occurredAt that is no time',
    needs: ['context', 'occurredAt'],
    plant: ({ context, plant, random }) => {
      const place = 'occurredAt that is no time';
      const wrong = random.pick(['text', 'day', 'number', 'century']);
      if (wrong === 'text') put(context, 'occurredAt', plant.text(place));
      if (wrong === 'day') put(context, 'occurredAt', `2026-02-30T12:00:00.${plant.digits(place)}Z`);
      if (wrong === 'number') put(context, 'occurredAt', plant.number(place));
      if (wrong === 'century') put(context, 'occurredAt', `1926-11-30T12:00:00.${plant.digits(place)}Z`);
    },
  },
  {
    place: 'event of the session that is no id',
    needs: ['context', 'sessionEventIds'],
    plant: ({ context, plant, random }) => {
      const place = 'event of the session that is no id';
      put(context, 'sessionEventIds', random.chance(0.5) ? [plant.text(place)] : plant.text(place));
    },
  },
  {
    place: 'huge string that breaks a rule',
    needs: ['input', 'context', 'toolCallId', 'occurredAt', 'huge'],
    plant: ({ input, context, plant, random }) => {
      const text = plant.huge('huge string that breaks a rule');
      const where = random.pick(['agente', 'tipo', 'sessionId', 'toolCallId', 'occurredAt']);
      put(where === 'agente' || where === 'tipo' ? input : context, where, text);
    },
  },
];
