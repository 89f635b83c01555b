import { toCodeSpan, toTargetSpan } from '../../base/codeSpan.ts';
import { findInBare } from '../disk/bareRepository.ts';
import { isBelowFolded, type RealPath } from '../patterns/paths.ts';
import type { SubjectDecision } from '../rules/policy.ts';
import { findProtected, fold } from '../rules/protected.ts';
import { type Rule, toRuleSpan } from '../rules/rule.ts';
import type { Subject } from '../rules/subject.ts';
import type { CommandAct } from '../shell/acts.ts';
import type { Evaluation } from './evaluation.ts';

/**
 * An evaluated subject, the sentence that explains it, and the capability layer's refusal if there
 * is one.
 */
export interface SubjectResult {
  readonly subject: SubjectDecision;
  /** Undefined: `describeReason` derives it from the rule, or from its absence. */
  readonly why: string | undefined;
  /** What the capabilities don't allow; completes "… don't allow this call: ". Ends with a full stop. */
  readonly refused?: string;
  /** A command that does the same without the denied files. */
  readonly instead?: string;
  /** Found by the built-in watchdog, not decided by a rule. */
  readonly watchdog?: true;
  /** The command, if it can't be fully checked, so that no rule can be stored for it. */
  readonly doubtful?: CommandAct;
  /** It writes a protected file, so no rule can allow it. */
  readonly guarded?: true;
  /** What an "always allow" rule would cover; absent if no rule can be stored. */
  readonly source?: Source;
}

/** The kind of subject behind a decision. */
export type Source =
  | { readonly kind: 'command'; readonly act: CommandAct }
  /** `path` is the evaluated path, after following links and the command line's own `cd`. */
  | {
      readonly kind: 'path';
      readonly writes: boolean;
      readonly path: string;
      /** Everything below it is touched too. */
      readonly folder?: boolean;
    }
  | { readonly kind: 'host' }
  | { readonly kind: 'text' };

export function toSubjectResult(
  subject: Pick<Subject, 'permission' | 'target'>,
  decision: SubjectDecision['decision'],
  rule: Rule | undefined,
  why?: string,
): SubjectResult {
  const { permission, target } = subject;
  return {
    subject:
      rule === undefined
        ? { permission, target, decision }
        : { permission, target, decision, rule },
    why,
  };
}

/** The sentence that explains a decision. Most are never displayed, so it is built on demand. */
export function describeReason({ subject, why }: SubjectResult): string {
  if (why !== undefined) return why;
  const { decision, rule, target } = subject;
  const shown = toTargetSpan(target);
  if (rule === undefined) return `No rule covers ${shown}.`;
  if (rule.act !== undefined)
    return `${shown} ${rule.act}, so the rule ${toRuleSpan(rule)} asks about it.`;
  const words = { allow: 'allows', ask: 'asks about', deny: 'denies' }[decision] ?? decision;
  return `The rule ${toRuleSpan(rule)} ${words} ${shown}.`;
}

/** The sentence that explains the decision about a call. It counts the other files that no rule covers. */
export function describeDecision(
  strictest: SubjectResult,
  results: readonly SubjectResult[],
): string {
  const reason = describeReason(strictest);
  if (results.length < 2 || !isUncoveredFile(strictest)) return reason;
  const { target } = strictest.subject;
  const files = new Set(results.filter(isUncoveredFile).map(({ subject }) => subject.target));
  if (files.size < 2) return reason;
  return `No rule covers ${toTargetSpan(target)} and ${files.size - 1} more.`;
}

function isUncoveredFile({ subject, source, why }: SubjectResult): boolean {
  return (
    why === undefined &&
    subject.rule === undefined &&
    subject.decision === 'ask' &&
    source?.kind === 'path'
  );
}

/**
 * Applies the restrictions that no rule can lift: the host's own state and the protected files
 * (spec decision 11).
 */
export function guardFiles(
  result: SubjectResult,
  file: RealPath,
  writes: boolean,
  compiled: Evaluation,
): SubjectResult {
  const { state, sidecars } = compiled.roots;
  const { platform } = compiled.policy;
  const { path, names = [] } = file;
  const inState =
    state !== undefined && [path, ...names].some((each) => isBelowFolded(each, state, platform));
  const ownSidecar = sidecars !== undefined && isBelowFolded(path, sidecars, platform);
  if (inState && (writes || !ownSidecar)) {
    return {
      ...result,
      why: "Tools can't access Gatehouse's own state.",
      subject: { ...result.subject, decision: 'deny' },
    };
  }
  if (ownSidecar && !writes && isUndecided(result)) {
    const { rule: _rule, ...rest } = result.subject;
    return {
      ...result,
      why: 'The file is a sidecar of this session.',
      subject: { ...rest, decision: 'allow' },
    };
  }
  const guard = writes ? findGuard(file, compiled) : undefined;
  const { decision, rule } = result.subject;
  // Keep a deny, and an ask that names its rule: both already explain themselves.
  const holds = decision === 'deny' || (decision === 'ask' && rule !== undefined);
  if (guard === undefined || holds) return result;
  const { rule: _rule, ...rest } = result.subject;
  return {
    ...result,
    guarded: true,
    why: `Writing to ${toCodeSpan(guard)} always asks, because the editor, git or an agent may run or trust what it contains.`,
    subject: { ...rest, decision: 'ask' },
  };
}

function findGuard(
  { path, names = [] }: RealPath,
  { roots, policy }: Evaluation,
): string | undefined {
  for (const each of [path, ...names]) {
    const guard = findProtected(each, roots) ?? findInBare(each, fold);
    if (guard !== undefined) return guard;
  }
  return [path, ...names].find((each) => policy.isNamedByGit?.(each));
}

/**
 * Whether no rule decides. The shipped ask for everything outside the workspace doesn't count
 * (spec C-46, CA-13).
 */
function isUndecided({ subject: { decision, rule } }: SubjectResult): boolean {
  if (rule === undefined) return true;
  return decision === 'ask' && rule.origin?.layer === 'default' && rule.pattern === '**';
}

/** The host and port of a URL or of a bare `host[:port]`; undefined when there is none. */
export function parseAddress(
  target: string,
): { readonly host: string; readonly port: number | undefined } | undefined {
  try {
    // `https:host` and `https:/host` mean the same as `https://host`.
    const text = target.replace(/^[\p{Cc} ]+/u, '');
    const whole = /^([a-z][a-z0-9+.-]*:\/\/|https?:)/i.test(text);
    const url = new URL(whole ? text : `http://${text}`);
    if (url.hostname === '') return undefined;
    return {
      host: url.hostname,
      port: url.port === '' ? defaultPort(url.protocol) : Number(url.port),
    };
  } catch {
    return undefined;
  }
}

function defaultPort(protocol: string): number | undefined {
  if (protocol === 'http:' || protocol === 'ws:') return 80;
  return protocol === 'https:' || protocol === 'wss:' ? 443 : undefined;
}
