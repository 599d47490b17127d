/** The outbox's thread: the disk and the Kafka client block this one, never the engine's. */
import { parentPort, workerData } from 'node:worker_threads';
import { setTimeout as sleep } from 'node:timers/promises';
import { AGENT_DEVIATION, loadSchemaText, publishedTexts, sha256Of } from '../../schemas/index.ts';
import { createRegistry, kafka, type Log, type Registry, type SchemaId, StreamError } from '../../wire/index.ts';
import type { Recording } from '../recorder.ts';
import { startRelay } from '../relay/relay.ts';
import { countsIn, type StorableSubmission } from '../submission.ts';
import { createOutboxService } from './outbox-service.ts';
import type { TotalName } from './totals.ts';
import {
  type FromWorker,
  type Ticketed,
  type ToWorker,
  unpackSubmissions,
  type WorkerSettings,
} from './worker-messages.ts';

const settings = workerData as WorkerSettings; // given by outbox-recorder.ts alone
const port = parentPort;
if (port === null) throw new TypeError('runs as a worker thread only');

/** How often a flush looks whether everything has gone, and state reports are sent at most, in milliseconds. */
const LOOK_MS = 20;
const STATE_EVERY_MS = 500;

const say = (message: FromWorker): void => port.postMessage(message);

const logAt =
  (level: keyof Log) =>
  (what: string, fields = {}): void =>
    say({ kind: 'log', level, what, fields });
const log: Log = { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') };

let madeRegistry: Registry | undefined;
/** Made when it is needed: a missing certificate file holds the relay, and no report. */
const theRegistry = (): Registry => (madeRegistry ??= createRegistry(settings.registry));

/** Rows may be of an older version: every text it ever published comes along. */
const texts = new Map(
  [...publishedTexts(AGENT_DEVIATION), loadSchemaText(AGENT_DEVIATION)].map((text): [string, string] => [
    sha256Of(text),
    text,
  ]),
);
const ids = new Map<string, SchemaId>();

/** A registry keeps its numbers, so each is looked up once; an older text's rows go out under its own. */
const schemaIdOf = async (hash: string): Promise<SchemaId | undefined> => {
  const text = texts.get(hash);
  if (text === undefined) return undefined;
  const known = ids.get(hash);
  if (known !== undefined) return known;
  const id = await theRegistry().idOfText(AGENT_DEVIATION, text);
  if (id === undefined) {
    throw (await theRegistry().hasSubject(AGENT_DEVIATION))
      ? new StreamError(
          'CONTRACT_MISMATCH',
          `subject ${AGENT_DEVIATION} lacks a text of this version`,
          'Register it: deviations schema register. Reports are kept meanwhile',
        )
      : new StreamError('SUBJECT_MISSING', `subject ${AGENT_DEVIATION}`, 'Register it: deviations schema register');
  }
  ids.set(hash, id);
  return id;
};

const checkTopic = async (): Promise<void> => {
  const cluster = await kafka.openCluster(settings.kafka, log);
  try {
    await cluster.ends(settings.topic);
  } finally {
    await cluster.close();
  }
};

let stateTimer: NodeJS.Timeout | undefined;
const onChange = (): void => {
  if (!settings.reportsState) return;
  stateTimer ??= setTimeout(() => {
    stateTimer = undefined;
    say({ kind: 'state', ticket: undefined, report: service.report() });
  }, STATE_EVERY_MS);
};

const service = createOutboxService({
  ...settings,
  nowMs: Date.now,
  log,
  onProblem: (problem) => {
    say({ kind: 'problem', problem });
    onChange();
  },
  startRelay: (rows, tryLease) =>
    startRelay({
      rows,
      tryLease,
      createSender: () => kafka.createSender(settings.kafka, settings.topic, log),
      schemaIdOf,
      checkTopic,
      log,
      onChange,
    }),
});

/** Answers how many still wait when the time is over; undefined when the file cannot be read then. */
const flush = async (limitMs: number): Promise<number | undefined> => {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const waiting = service.waiting();
    if (waiting === 0 || performance.now() >= deadline) return waiting;
    await sleep(Math.min(LOOK_MS, Math.max(1, deadline - performance.now())));
  }
};

type Append = ToWorker & { readonly kind: 'append' };

/** In one transaction. */
const append = (messages: readonly Append[]): void => {
  const items: Ticketed<StorableSubmission>[] = messages.flatMap((message) => unpackSubmissions(message.items));
  const refusals = new Map<TotalName, number>();
  for (const message of messages) {
    for (const [name, count] of message.refusals) refusals.set(name, (refusals.get(name) ?? 0) + count);
  }
  const answers = service.append(
    items.map((item) => item.of),
    refusals,
  );
  const kept: number[] = [];
  const others: Ticketed<Recording>[] = [];
  answers.forEach((answer, index) => {
    const item = items[index];
    if (item === undefined) return;
    const { ticket, of } = item;
    if (!answer.kept) others.push({ ticket, of: answer });
    else if (answer.counts === of.counts) kept.push(ticket);
    else others.push({ ticket, of: { kept: true, counts: countsIn(answer.counts) } });
  });
  say({ kind: 'appended', kept, others });
  onChange();
};

const handle = (message: Exclude<ToWorker, Append>): void => {
  switch (message.kind) {
    case 'flush':
      void flush(message.limitMs).then((waiting) => say({ kind: 'waiting', ticket: message.ticket, waiting }));
      return;
    case 'state':
      say({ kind: 'state', ticket: message.ticket, report: service.report() });
      return;
    case 'close':
      void flush(message.limitMs).then(async (waiting) => {
        // Said at once: what is left of the limit belongs to the send in flight, whose rows stay for the next process.
        say({ kind: 'waiting', ticket: message.ticket, waiting });
        clearTimeout(stateTimer);
        await service.close();
        port.close();
      });
      return;
    default:
      message satisfies never;
  }
};

/** Those that have come, in order. */
let inbox: ToWorker[] = [];

/** All appends that have come by now go into one transaction: that is the group commit. */
const handleAll = (): void => {
  const messages = inbox;
  inbox = [];
  let appends: Append[] = [];
  for (const message of messages) {
    if (message.kind === 'append') {
      appends.push(message);
      continue;
    }
    // Whoever asks means what was reported before.
    if (appends.length > 0) append(appends);
    appends = [];
    handle(message);
  }
  if (appends.length > 0) append(appends);
};

// Not while Node hands over messages: with a steady stream of them it would not come to the relay's sockets.
port.on('message', (message: ToWorker) => {
  inbox.push(message);
  if (inbox.length === 1) setImmediate(handleAll);
});
