/**
 * `JSON.parse` keeps the last of two members of one name and says nothing; a reader of another language may keep the
 * first. Walks a text that `JSON.parse` has accepted and answers the paths of the members that stand twice.
 */
const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /[^\s,\]}]+/y;

export const duplicateKeys = (text: string): readonly string[] => {
  const found: string[] = [];
  let at = 0;

  const skipSpace = (): void => {
    while (/\s/.test(text.charAt(at))) at += 1;
  };
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const [token = ''] = pattern.exec(text) ?? [];
    at += token.length;
    return token;
  };
  /** Walks members or items up to the closing bracket. */
  const walkList = (close: string, each: (index: number) => void): void => {
    at += 1;
    for (let index = 0; ; index += 1) {
      skipSpace();
      if (text.charAt(at) === close) break;
      if (text.charAt(at) === ',') {
        at += 1;
        skipSpace();
      }
      each(index);
    }
    at += 1;
  };
  const walk = (path: string): void => {
    skipSpace();
    const first = text.charAt(at);
    if (first === '{') {
      const seen = new Set<string>();
      walkList('}', () => {
        const key = JSON.parse(take(STRING)) as string; // a member's name is a JSON string
        const where = path === '' ? key : `${path}.${key}`;
        if (seen.has(key)) found.push(where);
        seen.add(key);
        skipSpace();
        at += 1; // the colon
        walk(where);
      });
    } else if (first === '[') walkList(']', (index) => walk(`${path}[${index}]`));
    else take(first === '"' ? STRING : SCALAR);
  };

  walk('');
  return found;
};
