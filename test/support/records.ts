/** Records as a source delivers them, and the contracts behind their schema ids. */
import { AGENT_DEVIATION, type EventType, loadSchemaText, type SessionEvents } from '../../schemas/index.ts';
import {
  createEncoder,
  deviationHeaders,
  eventHeaders,
  frame,
  type IdContract,
  judgeWriter,
  kafka,
  type SchemaId,
  schemaId,
} from '../../wire/index.ts';
import { aDeviation, anEventOf, NOON_MS, SESSION } from './builders.ts';
import { TOMORROWS_TEXT, writerText } from './schema-texts.ts';

/** The ids that the registry of these tests knows. */
export const IDS = {
  deviation: schemaId(1),
  proficiency: schemaId(2),
  fact: schemaId(3),
  foreignType: schemaId(4),
  foreignContract: schemaId(5),
  tomorrow: schemaId(6),
  unknown: schemaId(99),
} as const;

export const CONTRACTS: ReadonlyMap<SchemaId, IdContract> = new Map<SchemaId, IdContract>([
  [IDS.deviation, judgeWriter(loadSchemaText(AGENT_DEVIATION))],
  [IDS.proficiency, judgeWriter(loadSchemaText('anamnese.proficiency_emitted'))],
  [IDS.fact, judgeWriter(loadSchemaText('anamnese.fact_accepted'))],
  [IDS.foreignType, judgeWriter('{"type":"record","name":"other","namespace":"elsewhere","fields":[]}')],
  [IDS.foreignContract, judgeWriter(writerText((schema) => void schema.fields.pop()))],
  [IDS.tomorrow, judgeWriter(TOMORROWS_TEXT)],
  [IDS.unknown, { kind: 'unknown-id' }],
]);

/** Made once: it compiles the schema. */
const deviations = createEncoder(AGENT_DEVIATION);

export const aRecord = (given: Partial<kafka.SourceRecord> = {}): kafka.SourceRecord => ({
  offset: kafka.offset(41),
  recordTimeMs: NOON_MS + 60_000,
  key: Buffer.from(SESSION),
  value: frame(IDS.deviation, deviations.encode(aDeviation())),
  headers: deviationHeaders(aDeviation(), undefined),
  ...given,
});

/** A record with this body under this id, and the headers of a deviation. */
export const withBody = (id: SchemaId, body: Uint8Array): kafka.SourceRecord => aRecord({ value: frame(id, body) });

const ID_OF = {
  'anamnese.agent_deviation': IDS.deviation,
  'anamnese.proficiency_emitted': IDS.proficiency,
  'anamnese.fact_accepted': IDS.fact,
} as const;

/** A right record of the type. */
export const aRecordOf = <T extends EventType>(type: T, given: Partial<SessionEvents[T]> = {}): kafka.SourceRecord => {
  const event = { ...anEventOf[type](), ...given } as unknown as SessionEvents[T]; // the builder of this very type
  return aRecord({
    value: frame(ID_OF[type], createEncoder(type).encode(event)),
    headers: eventHeaders(type, event),
  });
};
