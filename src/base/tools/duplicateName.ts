/** The first name that an object of this valid JSON text has twice; undefined if there is none. */
export function findDuplicateName(json: string): string | undefined {
  /** For each open object the names it has so far; undefined for an open array. */
  const open: (Set<string> | undefined)[] = [];
  const tokens = new RegExp(TOKEN);
  let atName = false;
  for (let found = tokens.exec(json); found !== null; found = tokens.exec(json)) {
    const [token] = found;
    if (token === '"') {
      tokens.lastIndex = findStringEnd(json, found.index);
      const names = open.at(-1);
      if (!atName || names === undefined) continue;
      const name = String(JSON.parse(json.slice(found.index, tokens.lastIndex)));
      if (names.has(name)) return name;
      names.add(name);
    } else if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : undefined);
    } else if (token === '}' || token === ']') open.pop();
    atName = token === '{' || token === ',';
  }
  return undefined;
}

/** The starts of strings, and punctuation; numbers and words need no attention. */
const TOKEN = /["{}[\]:,]/g;

/** Not by a regular expression, whose stack a string of megabytes exceeds. */
function findStringEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let slashes = 0;
    while (json[end - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  return json.length;
}
