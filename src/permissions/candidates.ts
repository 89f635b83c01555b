import { wouldAllow } from './judgeCommand.ts';
import type { Law } from './law.ts';
import { isBelow, resolvePath } from './paths.ts';
import { toRoots } from './places.ts';
import type { Candidate, Policy } from './policy.ts';
import { findProtected } from './protected.ts';
import { LAUNCHERS, SHELLS, SUBCOMMAND_LAUNCHERS } from './shell/launcherTable.ts';
import type { Subject } from './subject.ts';
import type { Verdict } from './verdict.ts';
import { parseAddress } from './verdict.ts';

type StoredRule = Candidate['rules'][number];

/** One pattern a subject may be stored under, narrow to wide, and other calls it would match. */
interface Step {
  readonly rule: StoredRule;
  readonly alsoMatches: readonly string[];
}

/** Tools whose path is a folder, so that even the narrowest rule reaches what lies below it. */
const SEARCHES: ReadonlySet<string> = new Set(['glob', 'grep']);

/** No list of choices is longer. */
const LIMIT = 4;

/**
 * What "always" may store for a call that asks: narrow to wide, one rule for each simple command
 * (CA-7). Empty when a part of it could never be allowed so: a doubt, a protected file.
 */
export function findCandidates(verdicts: readonly Verdict[], law: Law): readonly Candidate[] {
  const asking = verdicts.filter(({ subject }) => subject.decision === 'ask');
  if (asking.length === 0) return [];
  const ladders: (readonly Step[])[] = [];
  for (const verdict of asking) {
    const steps = toSteps(verdict, law);
    if (steps.length === 0) return [];
    ladders.push(steps);
  }
  const height = Math.min(LIMIT, Math.max(...ladders.map((steps) => steps.length)));
  const candidates: Candidate[] = [];
  for (let level = 0; level < height; level += 1) {
    const steps = ladders.flatMap((ladder) => ladder[Math.min(level, ladder.length - 1)] ?? []);
    candidates.push({
      rules: unique(steps.map(({ rule }) => rule)),
      alsoMatches: [...new Set(steps.flatMap(({ alsoMatches }) => alsoMatches))].slice(0, 6),
    });
  }
  return candidates;
}

function toSteps({ subject, source }: Verdict, law: Law): readonly Step[] {
  if (source === undefined || subject.rule?.broken === true) return [];
  if (source.kind === 'command') {
    const { act } = source;
    const words = act.words.map(({ value }) => value);
    // Where a narrower rule asks, a wider one would be stored in vain.
    return commandSteps(subject.permission, words, act.risky).filter(({ rule }) =>
      wouldAllow(rule, act, subject, law),
    );
  }
  if (source.kind === 'host') return hostSteps(subject.permission, subject.target);
  if (source.kind === 'path') return pathSteps(subject, source.writes, law.policy);
  return textSteps(subject);
}

/**
 * `git push origin main`, `git push origin *`, `git push *`, `git *`; never wider than what must be
 * spelled out. A lone word has one pattern: `ls` and `ls *` are the same (decision 4).
 */
function commandSteps(
  permission: string,
  words: readonly string[],
  risky: ReadonlySet<number>,
): readonly Step[] {
  const quoted = words.map(quoteWord);
  const least = Math.max(
    1,
    ...[...risky].map((index) => index + 1),
    startsOthers(words) ? words.length : 1,
  );
  const lengths = new Set(
    [words.length, words.length - 1, 2, 1].filter(
      (length) => length >= least && length <= words.length,
    ),
  );
  return [...lengths]
    .sort((a, b) => b - a)
    .map((length) => {
      const head = words.slice(0, length).join(' ');
      const whole = length === words.length;
      const pattern = quoted.slice(0, length).join(' ') + (whole ? '' : ' *');
      const alsoMatches = whole ? [`${head} …`] : [head, `${head} …`];
      return { rule: { permission, pattern, action: 'allow' as const }, alsoMatches };
    });
}

const INTERPRETERS: ReadonlySet<string> = new Set(
  'python python2 python3 pypy pypy3 node nodejs deno tsx ts-node perl ruby php lua luajit tclsh expect osascript Rscript R julia'.split(
    ' ',
  ),
);

/** Launchers, shells and interpreters: only the very words, for what follows decides what runs. */
function startsOthers([name = '', ...rest]: readonly string[]): boolean {
  const starters = Object.hasOwn(SUBCOMMAND_LAUNCHERS, name)
    ? SUBCOMMAND_LAUNCHERS[name]
    : undefined;
  return (
    SHELLS.has(name) ||
    Object.hasOwn(LAUNCHERS, name) ||
    INTERPRETERS.has(name) ||
    name.includes('/') ||
    rest.some((word) => starters?.includes(word) === true)
  );
}

/** A pattern that means exactly this word. */
function quoteWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'"'"'`)}'`;
}

function hostSteps(permission: string, target: string): readonly Step[] {
  const address = parseAddress(target);
  if (address === undefined) return [];
  const { host, port } = address;
  const suffix = port === undefined || port === 80 || port === 443 ? '' : `:${port}`;
  const steps = [
    {
      rule: { permission, pattern: `${host}${suffix}`, action: 'allow' as const },
      alsoMatches: [`https://${host}${suffix}/…`],
    },
  ];
  const labels = host.split('.');
  if (labels.length < 3 || /^[\d.]+$|:/.test(host)) return steps;
  const parent = labels.slice(1).join('.');
  return [
    ...steps,
    {
      rule: { permission, pattern: `*.${parent}${suffix}`, action: 'allow' as const },
      alsoMatches: [`https://www.${parent}${suffix}/`],
    },
  ];
}

function pathSteps(
  { permission, target }: Pick<Subject, 'permission' | 'target'>,
  writes: boolean,
  policy: Policy,
): readonly Step[] {
  const { places, platform } = policy;
  const resolved = resolvePath(target, { cwd: places.cwd, platform });
  if (!resolved.ok || (writes && findProtected(resolved.path) !== undefined)) return [];
  const root = toRoots(places, platform).workspace.find((each) => isBelow(resolved.path, each));
  const full =
    root === undefined ? resolved.path : `{workspace}${resolved.path.slice(root.length)}`;
  const pattern = escapePattern(full);
  const names = pattern.split('/');
  const folder = names.slice(0, -1).join('/');
  const name = names.at(-1) ?? '';
  const extension = /^.+(\.\w+)$/.exec(name)?.[1];
  const patterns = [pattern];
  if (folder !== '') {
    if (extension !== undefined) patterns.push(`${folder}/*${extension}`);
    patterns.push(`${folder}/**`);
  }
  if (root !== undefined) patterns.push('{workspace}/**');
  return [...new Set(patterns)].slice(0, LIMIT).map((each) => ({
    rule: { permission, pattern: each, action: 'allow' as const },
    alsoMatches: alsoMatched(each, each === pattern, permission),
  }));
}

function alsoMatched(pattern: string, exact: boolean, permission: string): readonly string[] {
  const shown = pattern.replace(/^\{workspace\}\/?/, '');
  if (!exact) return [shown.replace('**', 'any/file').replace('*', 'other')];
  return SEARCHES.has(permission) ? [shown === '' ? 'any/file' : `${shown}/any/file`] : [];
}

/** Everything but the variable in front is taken as it stands. */
function escapePattern(path: string): string {
  const head = path.startsWith('{workspace}') ? '{workspace}' : '';
  return head + path.slice(head.length).replace(/[?*[\]{}\\]/g, (char) => `\\${char}`);
}

function textSteps({ permission }: Pick<Subject, 'permission'>): readonly Step[] {
  const own = { permission, pattern: '*', action: 'allow' as const };
  const steps: Step[] = [{ rule: own, alsoMatches: [`${permission} with other arguments`] }];
  const server = /^(mcp:[^:]+):/.exec(permission)?.[1];
  if (server === undefined) return steps;
  return [
    ...steps,
    {
      rule: { ...own, permission: `${server}:*` },
      alsoMatches: [`every tool of ${server.slice(4)}`],
    },
  ];
}

function unique(rules: readonly StoredRule[]): readonly StoredRule[] {
  const seen = new Map(rules.map((rule) => [`${rule.permission}\0${rule.pattern}`, rule]));
  return [...seen.values()];
}
