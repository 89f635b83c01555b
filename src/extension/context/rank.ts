const START = 8;
const RUN = 4;
const NAME = 6;

/**
 * How well a query fits a path: its characters occur in this order. Undefined if they do not. Starts of
 * words, characters in a row and the file's name count more; of equals, the shorter path is better.
 */
export function rankPath(query: string, path: string): number | undefined {
  return rankWanted(toWanted(query), path);
}

/** The characters of a query, in lower case. */
function toWanted(query: string): readonly string[] {
  return [...query.toLowerCase().replace(/\s+/g, '')];
}

function rankWanted(wanted: readonly string[], path: string): number | undefined {
  const lower = path.toLowerCase();
  const name = lower.lastIndexOf('/') + 1;
  // First in the name alone, where most queries mean to look.
  const inName = rankFrom(wanted, path, lower, name);
  const best = inName === undefined ? rankFrom(wanted, path, lower, 0) : inName + NAME * 4;
  return best === undefined ? undefined : best - path.length / 100;
}

function rankFrom(
  wanted: readonly string[],
  path: string,
  lower: string,
  from: number,
): number | undefined {
  let rank = 0;
  let last = from - 1;
  for (const character of wanted) {
    const at = lower.indexOf(character, last + 1);
    if (at < 0) return undefined;
    if (at === last + 1) rank += RUN;
    if (at === 0 || isStart(path, at)) rank += START;
    last = at;
  }
  return rank;
}

/** Without regular expressions, which took most of the time of a list. */
function isStart(path: string, at: number): boolean {
  const before = path[at - 1] ?? '/';
  if (SEPARATORS.includes(before)) return true;
  const here = path[at] ?? '';
  return here >= 'A' && here <= 'Z' && before >= 'a' && before <= 'z';
}

const SEPARATORS = '/_.- ';

/** The best of the values, best first; those that came first win. */
export function takeBest<Value>(
  values: readonly Value[],
  query: string,
  toPath: (value: Value) => string,
  most: number,
): readonly Value[] {
  if (query === '') return values.slice(0, most);
  const wanted = toWanted(query);
  // Few are kept, so that tens of thousands that fit need no sorting.
  const best: { readonly value: Value; readonly rank: number }[] = [];
  for (const value of values) {
    const rank = rankWanted(wanted, toPath(value));
    if (rank === undefined) continue;
    if (best.length >= most && rank <= (best.at(-1)?.rank ?? 0)) continue;
    const after = best.findLastIndex((each) => each.rank >= rank);
    best.splice(after + 1, 0, { value, rank });
    if (best.length > most) best.pop();
  }
  return best.map(({ value }) => value);
}
