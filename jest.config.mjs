/** Node itself strips the types, in the tests as in production: what is tested is what runs. */
const shared = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'mjs', 'js', 'cjs', 'json', 'node'],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.mjs' },
};

export default {
  testTimeout: 60_000,
  maxWorkers: 2,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/{unit,contract,architecture,privacy}/**/*.test.ts'],
    },
    {
      ...shared,
      displayName: 'integration',
      testMatch: ['<rootDir>/test/{integration,faults}/**/*.test.ts'],
      globalSetup: '<rootDir>/test/support/start-stack.ts',
      globalTeardown: '<rootDir>/test/support/stop-stack.ts',
    },
  ],
};
