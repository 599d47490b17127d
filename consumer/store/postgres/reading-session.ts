/** One connection for questions, one at a time, in transactions that can change nothing; made anew after a failure. */
import pg from 'pg';
import { clientConfig, type PostgresSettings, postgresError } from './connection.ts';

export interface ReadingSession {
  /** Rejects with a StreamError. */
  ask<T>(question: (client: pg.Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** `check` is asked first on each new connection. */
export const openReadingSession = (
  settings: PostgresSettings,
  check: (client: pg.Client) => Promise<void> = () => Promise.resolve(),
): ReadingSession => {
  let connecting: Promise<pg.Client> | undefined;
  /** The driver takes one question at a time. */
  let lastTurn: Promise<unknown> = Promise.resolve();

  const giveUp = (): void => {
    connecting?.then((client) => client.end()).catch(() => {});
    connecting = undefined;
  };

  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client(clientConfig(settings));
    // Said again by the next question; unheard it would end the process.
    client.on('error', () => {
      connecting = undefined;
    });
    await client.connect();
    await client.query('set session characteristics as transaction read only');
    await check(client);
    return client;
  };

  const askNow = async <T>(question: (client: pg.Client) => Promise<T>): Promise<T> => {
    try {
      connecting ??= connect();
      return await question(await connecting);
    } catch (error) {
      giveUp();
      throw postgresError(error, settings);
    }
  };

  return {
    ask: (question) => {
      const turn = lastTurn.then(() => askNow(question));
      lastTurn = turn.catch(() => {});
      return turn;
    },
    close: async () => {
      await connecting?.then((client) => client.end()).catch(() => {});
    },
  };
};
