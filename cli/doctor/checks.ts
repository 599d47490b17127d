/** What `doctor` looks at, in this order: one line a check. A need stands before those that need it. */
import type { Check } from '../checkup/check.ts';
import { outboxCheck } from '../checkup/outbox.ts';
import { quarantineCheck } from '../checkup/stored.ts';
import { clockCheck } from './clock.ts';
import { agentsCheck, configurationCheck, contractCheck } from './configuration.ts';
import { groupCheck, positionCheck } from './consumers.ts';
import { databaseCheck, keysCheck, migrationsCheck, writingCheck } from './database.ts';
import { registryCheck, subjectsCheck, versionsCheck } from './registry.ts';
import { brokerCheck, topicCheck, topicSettingChecks } from './topic.ts';

export const CHECKS: readonly Check[] = [
  configurationCheck,
  contractCheck,
  agentsCheck,
  brokerCheck,
  topicCheck,
  ...topicSettingChecks,
  registryCheck,
  subjectsCheck,
  versionsCheck,
  databaseCheck,
  migrationsCheck,
  keysCheck,
  writingCheck,
  groupCheck('sink'),
  groupCheck('graph'),
  positionCheck('sink'),
  positionCheck('graph'),
  { ...quarantineCheck, needs: ['migrations'] },
  clockCheck,
  outboxCheck,
];
