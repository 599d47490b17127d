/** What tells the Anamnese when to report what (RN-716, RN-717). The engine puts the text into the Anamnese's kickoff. */
import { readFileSync } from 'node:fs';

export const KICKOFF_LANGUAGES = ['pt', 'en'] as const;
export type KickoffLanguage = (typeof KICKOFF_LANGUAGES)[number];

/** Read from beside this program file, whatever the working directory. Ends with a line end. */
export const kickoffText = (language: KickoffLanguage): string =>
  readFileSync(new URL(`./kickoff.${language}.txt`, import.meta.url), 'utf8');
