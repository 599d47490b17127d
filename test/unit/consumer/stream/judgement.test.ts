/** What a slice comes to, whatever a store asks for first and however often it goes through the rows. */
import { expect, test } from '@jest/globals';
import { createSinkJudge } from '../../../../consumer/index.ts';
import { judgement } from '../../../../consumer/stream/judgement.ts';
import { kafka } from '../../../../wire/index.ts';
import { aRecord, aRecordOf, CONTRACTS } from '../../../support/records.ts';
import { goodAt, wrongAt } from '../../../support/stream-rig.ts';

const RECORDS = [
  goodAt(1),
  wrongAt(2),
  goodAt(3),
  { ...aRecordOf('anamnese.fact_accepted'), offset: kafka.offset(4) },
  aRecord({ offset: kafka.offset(5), value: null }),
];

const judged = (judge = createSinkJudge({ agents: undefined })) => judgement(judge, RECORDS, CONTRACTS);

const rowsOf = ({ rows }: ReturnType<typeof judgement>): readonly string[] =>
  [...rows].map(({ offset }) => String(offset));

const othersOf = ({ changes, projected, quarantine, filtered }: ReturnType<typeof judgement>) => ({
  changes: changes.length,
  projected,
  quarantined: quarantine.map(({ offset, reason }) => `${offset} ${reason}`),
  filtered,
});

const OTHERS = { changes: 0, projected: 0, quarantined: ['2 NOT_FRAMED', '5 VALUE_NULL'], filtered: 1 };

test('the rows are the same each time, and nothing else is counted twice', () => {
  const slice = judged();
  expect(rowsOf(slice)).toEqual(['1', '3']);
  expect(othersOf(slice)).toEqual(OTHERS);
  expect(rowsOf(slice)).toEqual(['1', '3']);
  expect(othersOf(slice)).toEqual(OTHERS);
});

test('what else was judged is whole before anybody has gone through the rows', () => {
  const slice = judged();
  expect(othersOf(slice)).toEqual(OTHERS);
  expect(rowsOf(slice)).toEqual(['1', '3']);
  expect(rowsOf(slice)).toEqual(['1', '3']);
});

test('it is whole too when somebody stopped half-way through the rows', () => {
  const slice = judged();
  for (const { offset } of slice.rows) {
    expect(offset).toBe(1n);
    break;
  }
  expect(othersOf(slice)).toEqual(OTHERS);
  expect(rowsOf(slice)).toEqual(['1', '3']);
});

test('a record is judged once, in whatever order a store asks once for each', () => {
  for (const ask of [
    (slice: ReturnType<typeof judgement>) => [rowsOf(slice), othersOf(slice)],
    (slice: ReturnType<typeof judgement>) => [othersOf(slice), rowsOf(slice)],
  ]) {
    const real = createSinkJudge({ agents: undefined });
    let judgements = 0;
    ask(
      judged({
        ...real,
        judge: (record, contracts) => {
          judgements += 1;
          return real.judge(record, contracts);
        },
      }),
    );
    expect(judgements).toBe(RECORDS.length);
  }
});
