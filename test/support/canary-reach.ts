/**
 * All the text that can be reached in a value, by any way in: what a caller handed over (is the mark in it?) and what came
 * back (is it still?). Keys and values, symbols, getters, functions, prototypes, errors with all they carry.
 */
const BUILT_IN = new Set<unknown>([
  Promise.prototype,
  null,
  Object.prototype,
  Array.prototype,
  Function.prototype,
  Map.prototype,
  Set.prototype,
  Uint8Array.prototype,
  Object.getPrototypeOf(Uint8Array.prototype),
  Buffer.prototype,
  Error.prototype,
]);

/** Reads a value that may bite. */
const attempt = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    return error;
  }
};

const isCollection = (owner: object): owner is Map<unknown, unknown> | Set<unknown> =>
  attempt(() => owner instanceof Map || owner instanceof Set) === true;

const isPromise = (owner: object): owner is Promise<unknown> => attempt(() => owner instanceof Promise) === true;

const isCallersFunction = (owner: object): owner is () => unknown =>
  typeof owner === 'function' && !/^class|\[native code\]/.test(Function.prototype.toString.call(owner));

/** One text of all, each on a line of its own. */
export const reachableText = async (value: unknown): Promise<string> => {
  const texts: string[] = [];
  const seen = new Set<object>();
  const promises: Promise<unknown>[] = [];

  const visitObject = (owner: object): void => {
    if (seen.has(owner)) return;
    seen.add(owner);
    if (ArrayBuffer.isView(owner)) {
      const bytes = Buffer.from(owner.buffer, owner.byteOffset, owner.byteLength);
      texts.push(bytes.toString('latin1'), bytes.toString('utf8'));
      return;
    }
    const keys = attempt(() => Reflect.ownKeys(owner));
    if (!Array.isArray(keys)) visit(keys); // a proxy's trap threw it
    for (const key of Array.isArray(keys) ? (keys as PropertyKey[]) : []) {
      texts.push(typeof key === 'symbol' ? (key.description ?? '') : String(key));
      visit(attempt(() => Reflect.get(owner, key)));
    }
    if (isPromise(owner)) promises.push(owner);
    if (isCollection(owner)) for (const item of owner) visit(item);
    // The engine's look-up, a toJSON: what a caller's function would say counts as said.
    if (isCallersFunction(owner)) visit(attempt(() => Reflect.apply(owner, undefined, [[]])));
    const prototype: unknown = attempt(() => Object.getPrototypeOf(owner));
    if (!BUILT_IN.has(prototype) && Object.getPrototypeOf(Object(prototype)) !== null) visit(prototype);
  };

  const visit = (one: unknown): void => {
    if (typeof one === 'string') texts.push(one);
    else if (typeof one === 'symbol') texts.push(one.description ?? '');
    else if (typeof one === 'object' || typeof one === 'function') {
      if (one !== null) visitObject(one);
    } else texts.push(`${one as number | bigint | boolean | undefined}`); // what is left of the kinds there are
  };

  visit(value);
  for (let promise = promises.shift(); promise !== undefined; promise = promises.shift()) {
    visit(await promise.catch((error: unknown) => error));
  }
  return `\n${texts.join('\n')}\n`;
};
