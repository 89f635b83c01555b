/** One small change of a source file that its tests ought to notice. */
export interface Mutant {
  readonly at: number;
  readonly from: string;
  readonly to: string;
}

/** What is changed into what; texts are the formatter's, so that types and arrows are left alone. */
const CHANGES: readonly (readonly [from: RegExp, to: string])[] = [
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/ \+ 1\b/g, ' - 1'],
  [/ - 1\b/g, ' + 1'],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/(?<=[(\s])!(?=[\w(])/g, ''],
  [/\.some\(/g, '.every('],
  [/\.every\(/g, '.some('],
  [/\.slice\(1\)/g, '.slice(0)'],
  [/\.startsWith\(/g, '.endsWith('],
  [/'deny'/g, "'ask'"],
  [/'ask'/g, "'allow'"],
  [/'allow'/g, "'ask'"],
  [/\bcontinue;/g, 'break;'],
  [
    /(?<=\n\s*)(?:walk\.doubts\.add|push|found\.risky\.add|risky\.add|runs\.push|add)\((?=[^\n]*\);\n)/g,
    'void (',
  ],
  [/ \+= /g, ' -= '],
];

/** Every mutant of a file. Comments, types and imports are left alone. */
export function findMutants(source: string): readonly Mutant[] {
  const silent = findSilent(source);
  const found: Mutant[] = [];
  for (const [from, to] of CHANGES) {
    for (const match of source.matchAll(from)) {
      if (silent.some(([start, end]) => match.index >= start && match.index < end)) continue;
      found.push({ at: match.index, from: match[0], to });
    }
  }
  return found.sort((a, b) => a.at - b.at);
}

export function applyMutant(source: string, { at, from, to }: Mutant): string {
  return source.slice(0, at) + to + source.slice(at + from.length);
}

/** Comments, imports, interfaces, type aliases, and regular expressions. */
function findSilent(source: string): readonly (readonly [number, number])[] {
  const parts = [
    // Not in a text, as in `/w/**` and `https://`.
    /(?<=^\s*)\/\*[\s\S]*?\*\//gm,
    /(?<=^|\s)\/\/ [^\n]*/gm,
    /^import [\s\S]*?;$/gm,
    /^(?:export )?interface [\s\S]*?^\}/gm,
    /^(?:export )?type [\s\S]*?;$/gm,
    /(?:readonly|: |\?: )\(?'[^']*'(?: \| '[^']*')+/g,
    /readonly \w+\??: (?:true|false)/g,
  ];
  return parts.flatMap((part) =>
    [...source.matchAll(part)].map(
      (match) => [match.index, match.index + match[0].length] as const,
    ),
  );
}
