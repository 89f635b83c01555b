import { parseAddress, type Source, type SubjectResult } from '../decide/subjectResult.ts';
import { isBelow } from '../patterns/paths.ts';
import { toRoots } from '../patterns/roots.ts';
import type { Candidate, Policy } from '../rules/policy.ts';
import { findProtected } from '../rules/protected.ts';
import type { Subject } from '../rules/subject.ts';
import type { CommandAct } from '../shell/acts.ts';
import { authorityEnd } from '../shell/hosts.ts';
import { LAUNCHERS, SHELLS, SUBCOMMAND_LAUNCHERS } from '../shell/programs/launcherTable.ts';

type StoredRule = Candidate['rules'][number];

/** One rule that could be stored for a subject, and examples of other calls it would match. */
interface Step {
  readonly rule: StoredRule;
  readonly alsoMatches: readonly string[];
}

/** Maximum length of a stored pattern, in characters. */
const TEXT_LIMIT = 4096;
/** Maximum number of candidates. */
const LIMIT = 4;
/** Calls with more asking subjects get no candidates: nobody reads that many rules. */
const ASK_LIMIT = 64;
/** Lines with more asking subjects only get the exact rules, no wider ones. */
const CLIMB_LIMIT = 8;

/**
 * The rules that "always allow" can store for an asking call, narrow to wide, one for each simple
 * command (spec CA-7). `allows` tells whether rules would allow the same call; rules that wouldn't
 * are left out. Empty if no rule can allow part of the call, such as an uncertain command or a
 * protected file.
 */
export function findCandidates(
  results: readonly SubjectResult[],
  policy: Policy,
  allows: (rules: readonly StoredRule[]) => boolean,
): readonly Candidate[] {
  const asking = results.filter(({ subject }) => subject.decision === 'ask');
  if (asking.length > ASK_LIMIT) return [];
  const all = asking.map((result) => toSteps(result, policy));
  const narrowest = all.flatMap(([first]) => first ?? []);
  if (all.length === 0 || narrowest.length < all.length) return [];
  if (!allows(toRules(narrowest))) return [];
  const ladders = all.map((steps, at) =>
    steps.filter((step, level) => {
      if (level === 0) return true;
      return all.length <= CLIMB_LIMIT && allows(toRules(narrowest.with(at, step)));
    }),
  );
  const candidates = new Map<string, Candidate>();
  for (let level = 0; level < LIMIT; level += 1) {
    const steps = ladders.flatMap((ladder) => ladder[Math.min(level, ladder.length - 1)] ?? []);
    const rules = toRules(steps);
    const alsoMatches = [...new Set(steps.flatMap((step) => step.alsoMatches))].slice(0, 6);
    const key = JSON.stringify(rules);
    if (!candidates.has(key)) candidates.set(key, { rules, alsoMatches });
  }
  return [...candidates.values()];
}

function toSteps({ subject, source }: SubjectResult, policy: Policy): readonly Step[] {
  if (source === undefined || subject.rule?.broken === true) return [];
  if (source.kind === 'command') return commandSteps(subject.permission, source.act);
  if (source.kind === 'host') return hostSteps(subject.permission, subject.target);
  if (source.kind === 'path') return pathSteps(subject.permission, source, policy);
  return textSteps(subject);
}

/**
 * From narrow to wide: `git push origin main`, `git push origin *`, `git push *`, `git *`. Never
 * wider than the words that must be literal or the host that is contacted. A single word has one
 * pattern, because `ls` and `ls *` are the same (spec decision 4).
 */
function commandSteps(permission: string, act: CommandAct): readonly Step[] {
  const words = act.words.map(({ value }) => value);
  const quoted = words.map(quoteWord);
  const host = findLast(act.hosts);
  const least = Math.max(findLast(act.risky) + 1, startsOthers(words) ? words.length : host + 1);
  const lengths = new Set(
    [words.length, words.length - 1, host + 1, 2, 1].filter(
      (length) => length >= least && length <= words.length,
    ),
  );
  const toStep = (pattern: string, alsoMatches: readonly string[]): Step => ({
    rule: { permission, pattern, action: 'allow' },
    alsoMatches,
  });
  const steps = [...lengths]
    .sort((a, b) => b - a)
    .map((length) => {
      const head = words.slice(0, length).join(' ');
      const whole = length === words.length;
      const pattern = quoted.slice(0, length).join(' ') + (whole ? '' : ' *');
      return toStep(pattern, whole ? [`${head} …`] : [head, `${head} …`]);
    });
  const last = words[host] ?? '';
  const end = authorityEnd(last);
  // The widest step: the same command with any URL of the same host.
  if (host === 0 || least > host + 1 || startsOthers(words) || last[end] !== '/') return steps;
  const site = last.slice(0, end);
  const pattern = [...quoted.slice(0, host), `${quoteWord(site)}/*`].join(' ');
  return [...steps, toStep(pattern, [[...words.slice(0, host), `${site}/…`].join(' ')])];
}

function findLast(indices: ReadonlySet<number> = new Set()): number {
  return [...indices].reduce((last, index) => Math.max(last, index), 0);
}

const INTERPRETERS: ReadonlySet<string> = new Set(
  'python python2 python3 pypy pypy3 node nodejs deno tsx ts-node perl ruby php lua luajit tclsh expect osascript Rscript R julia'.split(
    ' ',
  ),
);

/**
 * Launchers, shells and interpreters only get the exact rule, because the words after them decide
 * what runs.
 */
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

/** A pattern that matches exactly this word. */
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
  permission: string,
  { path, writes, folder: reachesBelow = false }: Extract<Source, { readonly kind: 'path' }>,
  { folders, platform }: Policy,
): readonly Step[] {
  if (writes && findProtected(path) !== undefined) return [];
  const root = toRoots(folders, platform).workspace.find((each) => isBelow(path, each));
  const full = root === undefined ? path : `{workspace}${path.slice(root.length)}`;
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
    alsoMatches: alsoMatched(each, each === pattern, reachesBelow),
  }));
}

function alsoMatched(pattern: string, exact: boolean, below: boolean): readonly string[] {
  const shown = pattern.replace(/^\{workspace\}\/?/, '');
  if (!exact) return [shown.replace('**', 'any/file').replace('*', 'other')];
  return below ? [shown === '' ? 'any/file' : `${shown}/any/file`] : [];
}

/** Escapes everything but a leading variable. */
function escapePattern(path: string): string {
  const head = path.startsWith('{workspace}') ? '{workspace}' : '';
  return head + path.slice(head.length).replace(/[?*[\]{}\\]/g, (char) => `\\${char}`);
}

/** The exact arguments, the whole tool, and every tool of its server. */
function textSteps({
  permission,
  target,
}: Pick<Subject, 'permission' | 'target'>): readonly Step[] {
  const own = { permission, pattern: '*', action: 'allow' as const };
  const steps: Step[] = [{ rule: own, alsoMatches: [`${permission} with other arguments`] }];
  // In a text pattern every `*` is a wildcard, so arguments with a `*` can't be stored exactly.
  const exact = target.trim() !== '' && target.length <= TEXT_LIMIT && !/[*\0]/.test(target);
  if (exact) steps.unshift({ rule: { ...own, pattern: target }, alsoMatches: [] });
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

/** Removes duplicate rules, which several subjects may share. */
function toRules(steps: readonly Step[]): readonly StoredRule[] {
  const seen = new Map(
    steps.map(({ rule }) => [`${rule.permission}\0${rule.pattern}`, rule] as const),
  );
  return [...seen.values()];
}
