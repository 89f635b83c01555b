/** The first name that an object of this valid JSON text has twice; undefined if there is none. */
export function findDuplicateName(json: string): string | undefined {
  /** For each open object the names it has so far; undefined for an open array. */
  const open: (Set<string> | undefined)[] = [];
  let atName = false;
  for (const [token] of json.matchAll(TOKEN)) {
    if (token.startsWith('"')) {
      const names = open.at(-1);
      if (!atName || names === undefined) continue;
      const name = String(JSON.parse(token));
      if (names.has(name)) return name;
      names.add(name);
    } else if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : undefined);
    } else if (token === '}' || token === ']') open.pop();
    atName = token === '{' || token === ',';
  }
  return undefined;
}

/** Strings and punctuation; numbers and words need no attention. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;
