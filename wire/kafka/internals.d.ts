/** The inner parts of kafkajs that are touched; see idle-mend.ts, fetch-mend.ts and encode-mend.ts. */
declare module 'kafkajs/src/network/requestQueue/index.js' {
  export default class RequestQueue {
    readonly pending: readonly unknown[];
    readonly inflight: ReadonlyMap<
      number,
      { readonly sentAt: number; readonly requestTimeout: number; timeoutRequest(): void }
    >;
    readonly enforceRequestTimeout: boolean;
    readonly requestTimeout: number;
    requestTimeoutIntervalId: NodeJS.Timeout | null;
    scheduleCheckPendingRequests(): void;
    scheduleRequestTimeoutCheck(): void;
    isConnected(): boolean;
    destroy(): void;
  }
}

declare module 'kafkajs/src/protocol/decoder.js' {
  export default class Decoder {
    readonly buffer: Buffer;
    offset: number;
    constructor(buffer: Buffer);
    readInt16(): number;
    readInt32(): number;
    readInt64(): bigint;
    readString(): string | null;
    readBytes(length: number): Buffer | null;
    readArray<T>(read: () => T): T[];
    readArrayAsync<T>(read: () => Promise<T>): Promise<T[]>;
  }
}

declare module 'kafkajs/src/protocol/message/compression/index.js' {
  const compression: {
    lookupCodecByAttributes(attributes: number): { decompress(bytes: Buffer): Promise<Buffer> } | null;
  };
  export default compression;
}

declare module 'kafkajs/src/protocol/requests/fetch/v11/response.js' {
  const response: { decode(answer: Buffer): Promise<unknown> };
  export default response;
}

declare module 'kafkajs/src/protocol/encoder.js' {
  export default class Encoder {
    static nextPowerOfTwo(value: number): number;
    static sizeOfVarInt(value: number): number;
    static sizeOfVarLong(value: unknown): number;
    buf: Buffer;
    offset: number;
    get buffer(): Buffer;
    ensureAvailable(length: number): void;
    writeVarInt(value: number): Encoder;
    writeUVarInt(value: number): Encoder;
    writeVarLong(value: unknown): Encoder;
  }
}
