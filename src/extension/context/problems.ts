/** The fields of a diagnostic that a description uses. */
export interface Problem {
  readonly message: string;
  /** 0 is an error, 1 a warning. */
  readonly severity: number;
  readonly source?: string | undefined;
  readonly range: { readonly start: { readonly line: number; readonly character: number } };
}

const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const;
const MOST = 500;

/** Problems for the agent, one a line, errors first: `src/a.ts:3:7: error: … (ts)`. */
export function describeProblems(
  files: readonly (readonly [path: string, problems: readonly Problem[]])[],
): string {
  const all = files.flatMap(([path, problems]) =>
    problems.map((problem) => ({ path, problem, severity: problem.severity })),
  );
  const sorted = all.toSorted((a, b) => a.severity - b.severity);
  const lines = sorted.slice(0, MOST).map(({ path, problem }) => describe(path, problem));
  const more = all.length - lines.length;
  return [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n');
}

function describe(path: string, { message, severity, source, range: { start } }: Problem): string {
  const at = `${path}:${start.line + 1}:${start.character + 1}`;
  const words = message.replace(/\s*\n\s*/g, ' ');
  const from = source === undefined ? '' : ` (${source})`;
  return `${at}: ${SEVERITIES[severity] ?? 'problem'}: ${words}${from}`;
}
