import type { Server } from './server.ts';
import type { BrokerSettings } from './settings.ts';
import type { Environment } from './stack.ts';

/** Everything that one call started, so that it can be stopped together and told from what others run. */
export interface Run {
  readonly howToStop: string;
  startBroker(settings?: BrokerSettings): Promise<Server>;
  startRegistry(): Promise<Server>;
  /** Stops what is still up and removes every trace. A second call does nothing. */
  close(): Promise<void>;
}

export interface RunWish {
  readonly environment: Environment;
  readonly say: (line: string) => void;
  readonly keep: boolean;
  readonly signal: AbortSignal;
}
