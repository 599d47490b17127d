/**
 * Loaded before a program (`node --import`), in each of its threads: its clock is off by so much, and is set back once more
 * in the midst of its work. `FAULT_CLOCK`: JSON of the offset at the start, of the number of the asking, and of the offset
 * from there on.
 */
const { atStartMs, setAtCall, thenMs } = JSON.parse(process.env['FAULT_CLOCK'] ?? '{}') as {
  readonly atStartMs: number;
  readonly setAtCall: number;
  readonly thenMs: number;
};
const rightNow = Date.now.bind(Date);
let calls = 0;
Date.now = () => {
  calls += 1;
  return rightNow() + (calls < setAtCall ? atStartMs : thenMs);
};
