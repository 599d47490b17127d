/**
 * kafkajs, mended, and loaded when the first client is made: an engine that only reports keeps it, and its megabytes, out
 * of its own thread. The one place that knows where kafkajs is.
 */
import { createRequire } from 'node:module';
import type Decoder from 'kafkajs/src/protocol/decoder.js';
import type Encoder from 'kafkajs/src/protocol/encoder.js';
import type compression from 'kafkajs/src/protocol/message/compression/index.js';
import type RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import type fetchResponse from 'kafkajs/src/protocol/requests/fetch/v11/response.js';
import { addCodecs } from './codecs.ts';
import { mendEncoding } from './encode-mend.ts';
import { mendFetches } from './fetch-mend.ts';
import { mendIdle } from './idle-mend.ts';

type Kafkajs = typeof import('kafkajs');

const require = createRequire(import.meta.url);
let loaded: Kafkajs | undefined;

const load = (): Kafkajs => {
  const kafkajs = require('kafkajs') as Kafkajs; // its own typings
  addCodecs(kafkajs);
  mendEncoding(require('kafkajs/src/protocol/encoder.js') as typeof Encoder); // internals.d.ts
  mendFetches(
    require('kafkajs/src/protocol/requests/fetch/v11/response.js') as typeof fetchResponse, // likewise
    require('kafkajs/src/protocol/decoder.js') as typeof Decoder, // likewise
    require('kafkajs/src/protocol/message/compression/index.js') as typeof compression, // likewise
  );
  mendIdle(require('kafkajs/src/network/requestQueue/index.js') as typeof RequestQueue); // likewise
  return kafkajs;
};

export const theKafkajs = (): Kafkajs => (loaded ??= load());
