import { describeRegistering } from '../support/schema-registering.ts';
import { describeWithOwnRegistry } from '../support/schema-own-registry.ts';

describeWithOwnRegistry('the contract changes only by its rule', (registry) => {
  describeRegistering('registering with the real registry', registry);
});
