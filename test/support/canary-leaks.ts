/** Builds that leak on purpose, at least one a surface: a search that misses one of them proves nothing. */
import { PassThrough, Transform } from 'node:stream';
import type { Judged } from '../../consumer/outcome.ts';
import { createProducer, type Report } from '../../producer/index.ts';
import type { Submission } from '../../producer/submission.ts';
import type { kafka } from '../../wire/index.ts';
import { type Build, RIGHT_BUILD } from './canary-build.ts';

export interface Leak {
  readonly name: string;
  readonly surface: string;
  readonly build: Build;
}

/** What a careless line of code would put into a text. */
const said = (report: Report): string => {
  try {
    return JSON.stringify(report) ?? '';
  } catch {
    return '';
  }
};

const inSubmission = (change: (submission: Submission, report: Report) => Submission): Build => ({
  ...RIGHT_BUILD,
  createProducer: (policy, recorder) => ({
    ...createProducer(policy, recorder),
    report: (report) =>
      createProducer(policy, { ...recorder, record: (one) => recorder.record(change(one, report)) }).report(report),
  }),
});

const aroundReport = (leak: (report: Report, log: Parameters<Build['createProducer']>[2]) => void): Build => ({
  ...RIGHT_BUILD,
  createProducer: (policy, recorder, log) => {
    const producer = createProducer(policy, recorder);
    return {
      ...producer,
      report: (report) => {
        leak(report, log);
        return producer.report(report);
      },
    };
  },
});

const inJudged = (change: (judged: Judged, record: kafka.SourceRecord) => unknown): Build => ({
  ...RIGHT_BUILD,
  judges: RIGHT_BUILD.judges.map((judge) => ({
    ...judge,
    judge: (record, contracts) => change(judge.judge(record, contracts), record) as Judged, // broken on purpose
  })),
});

/** `leak` sees what the command reads. */
const besideCommand = (leak: (chunk: Buffer, io: Parameters<Build['main']>[1]) => void): Build => ({
  ...RIGHT_BUILD,
  main: (argv, io, door) => {
    const tee = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        leak(chunk, io);
        done(null, chunk);
      },
    });
    return RIGHT_BUILD.main(argv, { ...io, stdin: io.stdin.pipe(tee) }, door);
  },
});

const keysOf = (report: Report): string => {
  try {
    return Object.keys(report.input as object).join();
  } catch {
    return '';
  }
};

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

export const LEAKS: readonly Leak[] = [
  {
    name: 'an encoder that appends what the model said',
    surface: 'record value',
    build: inSubmission((one, report) => ({ ...one, body: Buffer.concat([one.body, utf16(said(report))]) })),
  },
  {
    name: 'a key made of the tool-call id',
    surface: 'record key',
    build: inSubmission((one, report) => ({ ...one, key: String(Reflect.get(Object(report.context), 'toolCallId')) })),
  },
  {
    name: 'a header more, in base64',
    surface: 'record headers',
    build: inSubmission((one, report) => ({
      ...one,
      headers: { ...one.headers, ce_dataref: Buffer.from(said(report)).toString('base64') },
    })),
  },
  {
    name: 'a header named by the model',
    surface: 'record headers',
    build: inSubmission((one, report) => ({ ...one, headers: { ...one.headers, [keysOf(report)]: '1' } })),
  },
  {
    name: 'an outbox row that keeps the report',
    surface: 'outbox',
    build: inSubmission((one, report) => ({
      ...one,
      counts: { ...one.counts, report: said(report) } as typeof one.counts,
    })),
  },
  {
    name: 'an answer that names the discarded fields',
    surface: 'answer',
    build: {
      ...RIGHT_BUILD,
      dryRun: async (report, policy) => ({ ...(await RIGHT_BUILD.dryRun(report, policy)), discarded: keysOf(report) }),
    },
  },
  {
    name: 'an error with the value in its message',
    surface: 'error',
    build: aroundReport((report) => {
      if (said(report).length % 7 === 0) throw new Error(`bad report ${said(report)}`);
    }),
  },
  {
    name: 'an error with the value in its cause alone',
    surface: 'error',
    build: {
      ...RIGHT_BUILD,
      encode: (event) => {
        try {
          return RIGHT_BUILD.encode(event);
        } catch {
          throw new Error('an event is wrong', { cause: { event } });
        }
      },
    },
  },
  {
    name: 'a log line that says where, by hex',
    surface: 'log',
    build: aroundReport((report, log) =>
      log.debug('a report came', { where: Buffer.from(said(report)).toString('hex') }),
    ),
  },
  {
    name: 'a library that prints, URL-escaped',
    surface: 'output of the process',
    build: aroundReport((report) => {
      process.stderr.write(encodeURIComponent(said(report).toWellFormed()).replace(/\d/g, '%3$&'));
    }),
  },
  {
    name: 'a command that echoes a line it cannot read on stderr',
    surface: 'stderr',
    build: besideCommand((chunk, io) => void io.stderr.write(chunk.subarray(0, 1_000))),
  },
  {
    name: 'a dry run that shows what was said',
    surface: 'stdout',
    build: {
      ...RIGHT_BUILD,
      main: (argv, io, door) => {
        const words: string[] = [];
        io.stdin.on('data', (chunk: Buffer) => words.push(...chunk.toString('utf8').split('\n')));
        const stdin = io.stdin.pipe(new PassThrough());
        const echoing = new Transform({
          transform: (line: Buffer, _encoding, done) => {
            const answer = JSON.parse(line.toString('utf8')) as object; // one answer a write
            done(null, `${JSON.stringify({ ...answer, of: words.shift()?.slice(0, 2_000) ?? '' })}\n`);
          },
        });
        echoing.pipe(io.stdout);
        return RIGHT_BUILD.main(argv, { ...io, stdin, stdout: echoing }, door);
      },
    },
  },
  {
    name: 'an MCP server that quotes what it does not know',
    surface: 'MCP answers',
    build: {
      ...RIGHT_BUILD,
      createProducer: (policy, recorder) => {
        const producer = createProducer(policy, recorder);
        return {
          ...producer,
          report: async (report) => ({ ...(await producer.report(report)), hint: said(report) }),
        };
      },
    },
  },
  {
    name: 'a row that takes its trace from the header as it came',
    surface: 'row',
    build: inJudged((judged, record) =>
      judged.kind === 'row'
        ? { ...judged, row: { ...judged.row, traceId: String(record.headers['traceparent']) } }
        : judged,
    ),
  },
  {
    name: 'a quarantine that keeps the key',
    surface: 'quarantine',
    build: inJudged((judged, record) =>
      judged.kind === 'quarantined'
        ? { ...judged, pointer: { ...judged.pointer, key: record.key?.toString() } }
        : judged,
    ),
  },
  {
    name: 'a quarantine that keeps the first bytes of the value',
    surface: 'quarantine',
    build: inJudged((judged, record) =>
      judged.kind === 'quarantined'
        ? { ...judged, pointer: { ...judged.pointer, head: record.value?.subarray(0, 200).toString('base64url') } }
        : judged,
    ),
  },
];
