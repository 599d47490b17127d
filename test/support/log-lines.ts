/** A process's stderr as whoever collects logs gets it: is every line what the documentation says? */
import { LOG_FIELDS } from '../../wire/log.ts';
import { linesOf } from './processes.ts';

const ALWAYS = ['level', 'time', 'msg'] as const;

const isFit = (line: string): boolean => {
  try {
    const entries: readonly (readonly [string, unknown])[] = Object.entries(JSON.parse(line) as object); // else it throws
    const names = entries.map(([name]) => name);
    return (
      ALWAYS.every((name) => names.includes(name)) &&
      entries.every(([name, value]) =>
        Object.hasOwn(LOG_FIELDS, name)
          ? typeof value === (LOG_FIELDS[name as keyof typeof LOG_FIELDS] === 'number' ? 'number' : 'string')
          : (ALWAYS as readonly string[]).includes(name),
      )
    );
  } catch {
    return false;
  }
};

/** The lines that are no JSON, lack what each line has, or have what none may have. */
export const strangeLines = (stderr: string): readonly string[] => linesOf(stderr).filter((line) => !isFit(line));
