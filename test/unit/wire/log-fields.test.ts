/** A line of the log has the fields that docs/operations.md names and no other, and a sentence that is a constant. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { createLog } from '../../../cli/log.ts';
import { LOG_FIELDS } from '../../../wire/log.ts';
import { strangeLines } from '../../support/log-lines.ts';
import { filesUnder, textOf, TREE, withoutComments } from '../../support/source-files.ts';

test('the list is the one of the documentation, name by name and kind by kind', () => {
  const page = readFileSync(join(TREE, 'docs', 'operations.md'), 'utf8');
  const section = page.slice(page.indexOf('\n## The log\n'), page.indexOf('\n## A hold\n'));
  const documented = [...section.matchAll(/^\| (`.+?`) \| (text|number) \|/gm)].flatMap(([, names = '', kind]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => [name, kind]),
  );
  expect(documented).toEqual(Object.entries(LOG_FIELDS));
});

test('a field of another name is dropped, whoever gives it', () => {
  let said = '';
  const stderr = new Writable({
    write: (chunk, _, done) => {
      said += String(chunk);
      done();
    },
  });
  const fields = { partition: 3, reason: 'NOT_FRAMED', value: 'canary-7d1f', err: new Error('canary-7d1f') };
  createLog('debug', stderr).error('quarantined a record', fields);
  expect(strangeLines(said)).toEqual([]);
  expect(JSON.parse(said)).toEqual({
    level: 'error',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    msg: 'quarantined a record',
    partition: 3,
    reason: 'NOT_FRAMED',
  });
});

test.each(['Error: canary', '{"level":"info","time":"x","msg":"y","value":"z"}', '{"msg":"y"}', '[]', 'null'])(
  'a line such as %s would be noticed',
  (line) => {
    expect(strangeLines(`${line}\n`)).toEqual([line]);
  },
);

/** Passes on what the outbox's thread has said. */
const PASSED_ON = ['producer/outbox/outbox-recorder.ts log[message.level](message.what'];

test('the sentence of each call is a constant of the code', () => {
  const calls = ['cli', 'consumer', 'producer', 'wire']
    .flatMap(filesUnder)
    .flatMap((file) =>
      [...withoutComments(textOf(file)).matchAll(/\blog(?:\.(?:debug|info|warn|error)|\[[^\]]+\])\(\s*[^\s,)]+/g)].map(
        ([call]) => ({ file, call }),
      ),
    );
  expect(calls.length).toBeGreaterThan(20);
  const strays = calls.filter(({ call }) => !/\(\s*'/.test(call)).map(({ file, call }) => `${file} ${call}`);
  expect(strays).toEqual(PASSED_ON);
});
