/** Lines of a stream, one at a time, each bounded: a line over the limit is told as such and never held. */
import type { Readable } from 'node:stream';

export type Line = { readonly fits: true; readonly bytes: Buffer } | { readonly fits: false };

const NEWLINE = 0x0a;

export async function* readLines(input: Readable, maxBytes: number): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let length = 0;
  const line = (): Line => (length > maxBytes ? { fits: false } : { fits: true, bytes: Buffer.concat(parts) });
  const add = (part: Buffer): void => {
    length += part.length;
    if (length > maxBytes) parts = [];
    else parts.push(part);
  };
  for await (const chunk of input) {
    let rest: Buffer = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer); // a byte stream gives buffers
    for (let at = rest.indexOf(NEWLINE); at >= 0; at = rest.indexOf(NEWLINE)) {
      add(rest.subarray(0, at));
      yield line();
      parts = [];
      length = 0;
      rest = rest.subarray(at + 1);
    }
    if (rest.length > 0) add(rest);
  }
  if (length > 0) yield line();
}
