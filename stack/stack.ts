/** The ways to a broker and a registry, in the order in which they are tried. */
export const STACK_KINDS = ['given', 'docker', 'local'] as const;
export type StackKind = (typeof STACK_KINDS)[number];

/** The kinds that start servers of their own; `given` only names servers that somebody else runs. */
export type StartedKind = Exclude<StackKind, 'given'>;

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Stack {
  readonly kind: StackKind;
  readonly env: {
    /** `host:port` */
    readonly KAFKA_BROKERS: string;
    /** With the path of the Confluent-compatible interface; `given`: as it was given. */
    readonly SCHEMA_REGISTRY_URL: string;
  };
  /** One shell command that stops this stack by hand; empty for `given`. */
  readonly howToStop: string;
  /** Stops what this run started and nothing else. A second call does nothing. */
  stop(): Promise<void>;
}

export interface StackWish {
  /** SESSION_STACK, KAFKA_BROKERS, SCHEMA_REGISTRY_URL, JAVA_HOME, PATH and whatever Maven and Docker need. */
  readonly environment: Environment;
  /** Takes progress, one line each. */
  readonly say: (line: string) => void;
  /** Stays up after this process has ended, however it ends. */
  readonly keep?: boolean;
  /** Gives up while opening; what had started is stopped. An open stack is ended by `stop()`. */
  readonly signal?: AbortSignal;
}
