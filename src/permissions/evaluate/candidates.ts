import { SAMPLING } from '../../base/tools/mcpServer.ts';
import { findParentSite } from '../decide/parentSite.ts';
import { parseAddress, type Source, type SubjectResult } from '../decide/subjectResult.ts';
import { isBelow } from '../patterns/paths.ts';
import { toRoots } from '../patterns/roots.ts';
import type {
  Candidate,
  OfferedPattern,
  Offers,
  PartOffer,
  Policy,
  StoredRule,
} from '../rules/policy.ts';
import { findProtected } from '../rules/protected.ts';
import type { Subject } from '../rules/subject.ts';
import type { CommandAct } from '../shell/acts.ts';
import { findCommandPatterns } from './commandPatterns.ts';

/** Maximum number of candidates, and of patterns for a path. */
const LIMIT = 4;
/** Calls with more asking subjects get no candidates: nobody reads that many rules. */
const ASK_LIMIT = 64;
/** Lines with more asking subjects only get the exact rules, no wider ones. */
const CLIMB_LIMIT = 8;

/** Whether the same call would be decided like this if these rules were added. */
export type Trial = (rules: readonly StoredRule[]) => boolean;

/** The rules for one asking subject, from narrow to wide. */
interface Ladder {
  readonly subject: SubjectResult['subject'];
  readonly steps: readonly Step[];
}

/**
 * The rules that one "always allow" can store for a whole call, narrow to wide, one for each simple
 * command (spec CA-7), for clients that can't choose by part. Empty if no rule can allow part of the
 * call, such as an uncertain command or a protected file.
 */
export function findCandidates(
  results: readonly SubjectResult[],
  policy: Policy,
  allows: Trial,
): readonly Candidate[] {
  const ladders = findLadders(results, policy, allows);
  const candidates = new Map<string, Candidate>();
  for (let level = 0; level < LIMIT; level += 1) {
    const steps = ladders.flatMap(({ steps }) => steps[Math.min(level, steps.length - 1)] ?? []);
    const rules = toRules(steps);
    const alsoMatches = [...new Set(steps.flatMap((step) => step.alsoMatches))].slice(0, 6);
    const key = JSON.stringify(rules);
    if (rules.length > 0 && !candidates.has(key)) candidates.set(key, { rules, alsoMatches });
  }
  return [...candidates.values()];
}

/** The rules that an answer can store, by part of the call. Each was tried on the same call. */
export function findOffers(
  results: readonly SubjectResult[],
  policy: Policy,
  trial: { readonly allows: Trial; readonly denies: Trial },
): Offers {
  const allow = findLadders(results, policy, trial.allows).map(toAllowOffer);
  const asking = results.filter(({ subject }) => subject.decision === 'ask');
  const deny = asking.slice(0, ASK_LIMIT).map(({ subject, ...result }): Ladder => {
    const all = toDenySteps({ subject, ...result }, policy);
    const steps = asking.length <= CLIMB_LIMIT ? all : all.slice(0, 1);
    return { subject, steps: steps.filter(({ rule }) => trial.denies([rule])) };
  });
  return { allow: distinct(allow), deny: distinct(deny.map(toOffer)) };
}

/**
 * The ladder of each asking subject. Rules that wouldn't allow the call, together with the narrowest
 * ones of the other subjects, are left out. Empty if no rules can allow the whole call.
 */
function findLadders(
  results: readonly SubjectResult[],
  policy: Policy,
  allows: Trial,
): readonly Ladder[] {
  const asking = results.filter(({ subject }) => subject.decision === 'ask');
  if (asking.length > ASK_LIMIT) return [];
  const all = asking.map((result) => ({ subject: result.subject, steps: toSteps(result, policy) }));
  const narrowest = all.flatMap(({ steps: [first] }) => first ?? []);
  if (all.length === 0 || narrowest.length < all.length) return [];
  if (!allows(toRules(narrowest))) return [];
  return all.map(({ subject, steps }, at) => ({
    subject,
    steps: steps.filter((step, level) => {
      if (level === 0) return true;
      return all.length <= CLIMB_LIMIT && allows(toRules(narrowest.with(at, step)));
    }),
  }));
}

function toAllowOffer(ladder: Ladder): PartOffer {
  const { steps } = ladder;
  const session = steps.find((step) => step.session) ?? steps[0];
  return { ...toOffer(ladder), ...(session && { session: toPattern(session) }) };
}

function toOffer({ subject: { permission, target }, steps }: Ladder): PartOffer {
  return { permission, target, patterns: steps.map(toPattern) };
}

function toPattern({ rule, alsoMatches }: Step): PartOffer['patterns'][number] {
  return { rule, alsoMatches };
}

/** Parts with something to offer; a part that is offered the same rules as another once. */
function distinct(offers: readonly PartOffer[]): readonly PartOffer[] {
  const seen = new Map<string, PartOffer>();
  for (const offer of offers) {
    const key = JSON.stringify(offer.patterns.map(({ rule }) => rule));
    if (offer.patterns.length > 0 && !seen.has(key)) seen.set(key, offer);
  }
  return [...seen.values()];
}

/** Removes duplicate rules, which several subjects may share. */
function toRules(steps: readonly Step[]): readonly StoredRule[] {
  const seen = new Map(
    steps.map(({ rule }) => [`${rule.permission}\0${rule.pattern}`, rule] as const),
  );
  return [...seen.values()];
}

/** One rule that could be stored for a subject. */
interface Step extends OfferedPattern {
  /** The rule for "this session", if it isn't the narrowest one. */
  readonly session?: true;
}

/** Maximum length of a stored pattern, in characters. */
const TEXT_LIMIT = 4096;

/** The rules that could allow an asking subject, from narrow to wide; empty if no rule can. */
function toSteps({ subject, source, guarded }: SubjectResult, policy: Policy): readonly Step[] {
  if (source === undefined || guarded === true || subject.rule?.broken === true) return [];
  if (source.kind === 'path' && source.writes && findProtected(source.path) !== undefined)
    return [];
  if (source.kind === 'command') return commandSteps(subject.permission, source.act, 'allow');
  return toOtherSteps(subject, source, policy);
}

/** The rules that could deny an asking subject, from narrow to wide; empty if no rule can. */
function toDenySteps({ subject, source }: SubjectResult, policy: Policy): readonly Step[] {
  if (source === undefined) return [];
  const steps =
    source.kind === 'command'
      ? commandSteps(subject.permission, source.act, 'deny')
      : toOtherSteps(subject, source, policy);
  return steps.map(({ rule, alsoMatches }) => ({ rule: { ...rule, action: 'deny' }, alsoMatches }));
}

function toOtherSteps(
  subject: SubjectResult['subject'],
  source: Exclude<Source, { readonly kind: 'command' }>,
  policy: Policy,
): readonly Step[] {
  if (source.kind === 'host') return hostSteps(subject.permission, subject.target);
  if (source.kind === 'path') return pathSteps(subject.permission, source, policy);
  return textSteps(subject);
}

function commandSteps(
  permission: string,
  act: CommandAct,
  action: 'allow' | 'deny',
): readonly Step[] {
  return findCommandPatterns(act, action).map(({ pattern, alsoMatches }) => ({
    rule: { permission, pattern, action },
    alsoMatches,
  }));
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
  const parent = findParentSite(host);
  if (parent === undefined) return steps;
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
  const roots = toRoots(folders, platform).workspace;
  const [root] = roots
    .filter((each) => isBelow(path, each))
    .toSorted((a, b) => b.length - a.length);
  // `{workspace}` stands for each of several folders, and the user is asked about one of them.
  const isOnly = new Set(roots).size === 1;
  const full = root !== undefined && isOnly ? `{workspace}${path.slice(root.length)}` : path;
  const pattern = escapePattern(full);
  const names = pattern.split('/');
  const folder = names.slice(0, -1).join('/');
  const name = names.at(-1) ?? '';
  const extension = /^.+(\.\w+)$/.exec(name)?.[1];
  const patterns = new Set([pattern]);
  if (folder !== '') {
    if (extension !== undefined) patterns.add(`${folder}/*${extension}`);
    patterns.add(`${folder}/**`);
  }
  if (root !== undefined) patterns.add(isOnly ? '{workspace}/**' : `${escapePattern(root)}/**`);
  const toStep = (name: string, each: string): Step => ({
    rule: { permission: name, pattern: each, action: 'allow' },
    alsoMatches: alsoMatched(each, each === pattern, reachesBelow),
  });
  const found = [...patterns].slice(0, LIMIT);
  const own = found.map((each) => toStep(permission, each));
  if (!writes || permission === 'fs.write') return own;
  // A rule for the capability comes first: with `write(…)` alone, the next `edit` would ask again.
  const capability = found.map((each): Step => {
    const step = toStep('fs.write', each);
    const session = root !== undefined && each === `${folder}/**`;
    return session ? { ...step, session } : step;
  });
  return [...capability, ...own];
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

/**
 * The exact arguments, the whole tool, and every tool of its server, which doesn't cover the server's requests
 * to the model.
 */
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
  if (server === undefined || permission === `${server}:${SAMPLING}`) return steps;
  return [
    ...steps,
    {
      rule: { ...own, permission: `${server}:*` },
      alsoMatches: [`every tool of ${server.slice(4)}`],
    },
  ];
}
