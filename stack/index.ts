export { type OwnDatabase, type OwnPostgres, startPostgres } from './local/postgres.ts';
export { openStack, startBroker, startDatabase, startRegistry } from './open.ts';
export { IMAGES } from './images.ts';
export type { Server } from './server.ts';
export { type BrokerSettings, DATABASE } from './settings.ts';
export { STACK_KINDS, type Stack, type StackKind, type StackWish, type StartedKind } from './stack.ts';
