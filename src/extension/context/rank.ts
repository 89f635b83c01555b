const START = 8;
const RUN = 4;
const NAME = 6;

/**
 * How well a query fits a path: its characters occur in this order. Undefined if they do not. Starts of
 * words, characters in a row and the file's name count more; of equals, the shorter path is better.
 */
export function rankPath(query: string, path: string): number | undefined {
  const lower = path.toLowerCase();
  const name = lower.lastIndexOf('/') + 1;
  const wanted = query.toLowerCase().replace(/\s+/g, '');
  // First in the name alone, where most queries mean to look.
  const inName = rankFrom(wanted, path, lower, name);
  const best = inName === undefined ? rankFrom(wanted, path, lower, 0) : inName + NAME * 4;
  return best === undefined ? undefined : best - path.length / 100;
}

function rankFrom(wanted: string, path: string, lower: string, from: number): number | undefined {
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

function isStart(path: string, at: number): boolean {
  const before = path[at - 1] ?? '/';
  const here = path[at] ?? '';
  return /[/_.\- ]/.test(before) || (/[A-Z]/.test(here) && /[a-z]/.test(before));
}

/** The best of the values, best first; those that came first win. */
export function takeBest<Value>(
  values: readonly Value[],
  query: string,
  toPath: (value: Value) => string,
  most: number,
): readonly Value[] {
  if (query === '') return values.slice(0, most);
  return values
    .flatMap((value) => {
      const rank = rankPath(query, toPath(value));
      return rank === undefined ? [] : [{ value, rank }];
    })
    .sort((a, b) => b.rank - a.rank)
    .slice(0, most)
    .map(({ value }) => value);
}
