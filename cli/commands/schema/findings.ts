/** Findings of lint and check: a block each for people, one JSON list for machines; exit 5 when there is one. */
import { Option } from 'commander';
import type { Finding } from '../../../schemas/index.ts';
import { type Io, writeLine } from '../../io.ts';

export const FINDING_FORMATS = ['text', 'json', 'ndjson'] as const;
export type FindingFormat = (typeof FINDING_FORMATS)[number];

export const findingFormatOption = (): Option =>
  new Option('-o, --output <format>', 'output format').choices(FINDING_FORMATS).default('text');

const jsonOf = ({ type, rule, where, reason, fix }: Finding) => ({ type, rule, where, reason, fix });

const FOUND = 5;

/** `passed` is said on stderr when there is nothing to find. */
export const printFindings = async (
  findings: readonly Finding[],
  passed: string,
  io: Io,
  format: FindingFormat,
): Promise<number> => {
  switch (format) {
    case 'json':
      await writeLine(io.stdout, JSON.stringify(findings.map(jsonOf), null, 2));
      break;
    case 'ndjson':
      for (const finding of findings) await writeLine(io.stdout, JSON.stringify(jsonOf(finding)));
      break;
    case 'text':
      for (const { type, rule, where, reason, fix } of findings) {
        await writeLine(io.stdout, `${type}  ${rule}  ${where}\n  why: ${reason}\n  fix: ${fix}`);
      }
      break;
    default:
      format satisfies never;
  }
  await writeLine(io.stderr, findings.length === 0 ? passed : `${findings.length} finding(s)`);
  return findings.length === 0 ? 0 : FOUND;
};
