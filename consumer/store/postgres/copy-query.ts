/**
 * Statements and the bytes that one `copy … from stdin` among them asks for, in a single round trip. A flush of few rows
 * is nothing but round trips, so whatever need not wait for an answer goes along.
 */
import pg from 'pg';

/** What pg's own query class has at run time beside its published typings. */
interface CopyTarget {
  sendCopyFromChunk(bytes: Buffer): void;
  endCopyFrom(): void;
}

class CopyQuery extends pg.Query {
  readonly #bytes: Buffer;

  constructor(sql: string, bytes: Buffer, answer: (error: Error | undefined, results: unknown) => void) {
    super(sql, answer);
    this.#bytes = bytes;
  }

  handleCopyInResponse(connection: CopyTarget): void {
    connection.sendCopyFromChunk(this.#bytes);
    connection.endCopyFrom();
  }
}

/** Answers one result for each statement. */
export const copyIn = (
  client: pg.ClientBase,
  sql: string,
  bytes: Buffer,
): Promise<readonly pg.QueryResult<Record<string, unknown>>[]> =>
  new Promise((resolve, reject) => {
    client.query(
      new CopyQuery(sql, bytes, (error, results) => {
        // More than one statement: pg answers with a list.
        if (error) reject(error);
        else resolve(results as readonly pg.QueryResult<Record<string, unknown>>[]);
      }),
    );
  });
