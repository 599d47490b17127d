/** The inner part of kafkajs whose calls are moments to be killed at; see faults-sink-moments.ts. */
declare module 'kafkajs/src/broker/index.js' {
  export default class Broker {
    joinGroup(request: unknown): Promise<unknown>;
    leaveGroup(request: unknown): Promise<unknown>;
    offsetCommit(request: unknown): Promise<unknown>;
  }
}
