/** Looks at everything side by side, each check once its needs are known. */
import { codeOf, isStreamError, StreamError } from '../../wire/index.ts';
import { type Check, fail, type Finding, type Found, skip } from './check.ts';
import type { Site } from './site.ts';

const isConfigError = (error: StreamError): boolean => error.code.startsWith('CONFIG_');

export interface RunOptions<Name extends string> {
  /** A setting that is not right is the finding of this check; those that need the setting are skipped. */
  readonly settingsAreCheckedBy?: Name;
}

/** An error that a check ended with, as its finding. `said`: the check that has already said it. */
const foundIn = (error: unknown, said: string | undefined): Found => {
  if (!isStreamError(error)) return fail('UNEXPECTED', `unexpected (${codeOf(error)})`, 'Please report it');
  // Absent and without a default: not this program's business here. Without a broker nothing works.
  if (error.code === 'CONFIG_MISSING' && error.where !== 'KAFKA_BROKERS') return skip(`${error.where} is not set`);
  if (isConfigError(error) && said !== undefined) return skip(`${error.where}: see ${said}`);
  return fail(error.code, `${error.what} (${error.code}): ${error.where}`, error.next);
};

export const runChecks = async <Name extends string>(
  checks: readonly Check<Name>[],
  site: Site,
  options: RunOptions<Name> = {},
): Promise<readonly Finding[]> => {
  const findings = new Map<Name, Promise<Finding>>();

  /** The check of the settings, when it is another one and has found something. */
  const saidBy = async (name: Name): Promise<string | undefined> => {
    const { settingsAreCheckedBy } = options;
    if (settingsAreCheckedBy === undefined || settingsAreCheckedBy === name) return undefined;
    return (await findings.get(settingsAreCheckedBy))?.state === 'FAIL' ? settingsAreCheckedBy : undefined;
  };

  const lookAt = async (check: Check<Name>): Promise<Finding> => {
    const found = await findingOf(check);
    const unknown = Object.fromEntries((check.facts ?? []).map((fact) => [fact, null]));
    return { name: check.name, ...found, facts: { ...unknown, ...found.facts } };
  };

  const findingOf = async ({ name, needs = [], asks, look }: Check<Name>): Promise<Found> => {
    const needed = await Promise.all(needs.flatMap((need) => findings.get(need) ?? []));
    const missing = needed.filter(({ state }) => state === 'FAIL' || state === 'skip');
    if (missing.length > 0) return skip(`needs ${missing.map((one) => one.name).join(', ')}`);
    try {
      return await site.inTime(asks, Promise.resolve(site).then(look));
    } catch (error) {
      return foundIn(error, await saidBy(name));
    }
  };

  // In the order of the table, where a need stands before those that need it.
  for (const check of checks) findings.set(check.name, lookAt(check));
  return Promise.all(findings.values());
};

/** The first of 3, 4 and 5 that applies (design section 7). */
export const exitCodeOf = (findings: readonly Finding[]): number => {
  const codes = findings.flatMap(({ code }) => (code === undefined ? [] : [new StreamError(code, '', '').exitCode]));
  return [3, 4, 5].find((one) => codes.includes(one)) ?? codes[0] ?? 0;
};
