/** Whether the tables are there, as this version needs them. */
import { type Check, fail, ok, warn } from '../checkup/check.ts';

export const databaseCheck = {
  name: 'database',
  asks: 'database',
  look: async (site) => {
    const inspector = await site.inspector();
    await inspector.versions();
    return ok(`answers: ${inspector.place}`);
  },
} as const satisfies Check;

export const migrationsCheck = {
  name: 'migrations',
  needs: ['database'],
  asks: 'database',
  look: async (site) => {
    const { has, wants } = await (await site.inspector()).versions();
    if (has < wants) {
      return fail('DATABASE_NOT_MIGRATED', `at version ${has} of ${wants}`, 'Bring it up to date: deviations migrate');
    }
    return has === wants
      ? ok(`at version ${has}`)
      : warn(
          `at version ${has}, newer than this program's ${wants}`,
          'Run the version of the program that migrated it',
        );
  },
} as const satisfies Check;

export const keysCheck = {
  name: 'keys',
  needs: ['migrations'],
  asks: 'database',
  look: async (site) => {
    await (await site.inspector()).requireKeys();
    return ok('the unique keys that "exactly once" rests on are there');
  },
} as const satisfies Check;

export const writingCheck = {
  name: 'writing',
  needs: ['migrations'],
  asks: 'database',
  look: async (site) =>
    (await (await site.inspector()).isWritable())
      ? ok('this user may write the tables')
      : warn('this user may read only, and a consumer must write', 'Check the rights of the user that runs it'),
} as const satisfies Check;
