import { type Glob, matchesSegment, run, type Segment } from './glob.ts';
import { type PathPattern, toNames } from './pathPattern.ts';
import { foldPath } from './paths.ts';

/** Returns a test, by folder, of which names directly in it match one of the patterns. */
export function toFolderTest(
  patterns: readonly PathPattern[],
  platform: NodeJS.Platform,
): (folder: string) => (name: string) => boolean {
  if (patterns.some(({ everything }) => everything)) return () => () => true;
  const globs = patterns.flatMap(({ alternatives }) => alternatives);
  // `**/name` matches the same names in every folder.
  const anywhere = globs.filter(([first, last, ...more]) => {
    return first?.kind === 'globstar' && last !== undefined && more.length === 0;
  });
  const anchored = globs.filter((glob) => !anywhere.includes(glob));
  const everywhere = toEnds(anywhere.flatMap((glob) => endsAfter(glob, [0, 1])));
  return (folder) => {
    const names = toNames(folder, platform);
    const here = toEnds(anchored.flatMap((glob) => endsAfter(glob, run(glob, names))));
    return (name) => {
      const folded = foldPath(name, platform);
      return here(folded) || everywhere(folded);
    };
  };
}

/**
 * The segments that complete the glob if one more name matches them, starting from these states.
 */
function endsAfter(glob: Glob, states: readonly number[]): readonly Segment[] {
  let tail = glob.length;
  while (glob[tail - 1]?.kind === 'globstar') tail -= 1;
  return states.flatMap((at) => {
    const segment = glob[at];
    if (segment === undefined) return [];
    const ends = segment.kind === 'globstar' ? at >= tail : at + 1 >= tail;
    return ends ? [segment] : [];
  });
}

function toEnds(ends: readonly Segment[]): (folded: string) => boolean {
  const literals = new Set<string>();
  const others: Segment[] = [];
  for (const end of ends) {
    if (end.kind === 'globstar') return () => true;
    if (end.kind === 'star' && end.parts.length === 1) literals.add(end.parts.join());
    else others.push(end);
  }
  return (name) => literals.has(name) || others.some((end) => matchesSegment(end, name));
}
