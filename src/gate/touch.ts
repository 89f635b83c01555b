import { toTargetSpan } from '../base/codeSpan.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';
import { getToolFacts } from '../base/tools/toolFacts.ts';
import { evaluate, NOTHING_OFFERED } from '../permissions/evaluate/evaluate.ts';
import { evaluateAddress } from '../permissions/evaluate/evaluateSubject.ts';
import { filterSearch, type SearchFilter } from '../permissions/evaluate/searchFilter.ts';
import { isBelow } from '../permissions/patterns/paths.ts';
import type { CompiledPolicy } from '../permissions/rules/compiledPolicy.ts';
import type { Decision, Policy } from '../permissions/rules/policy.ts';
import { isSameRule, type Rule, toRuleSpan } from '../permissions/rules/rule.ts';
import type { Subject } from '../permissions/rules/subject.ts';
import type { Gate, Touch } from '../runtime/runtime.ts';
import { askUser } from './ask.ts';
import { type DecisionEvent, type Evaluated, getDecidedBy, report } from './decisionEvent.ts';
import type { GateCall } from './gateContext.ts';
import type { Operation } from './operation.ts';
import { getPaths, toTightening } from './subjects.ts';

/** The real paths and URLs that the user approved in one call. */
export interface Approvals {
  /** The rules that the user was asked by. */
  readonly rules: readonly Rule[];
  has(target: string): boolean;
  /** Whether an approved folder is above: an approved search may read the files below it. */
  hasAbove(target: string): boolean;
  add(target: string): void;
}

/** `asked` are the subjects that the user is asked about, as resolved when the call was admitted. */
export function createApprovals(asked: readonly Subject[], decision: Decision): Approvals {
  const hosts = asked.filter(({ match }) => match === 'host').map(({ target }) => target);
  const targets = new Set([...getPaths(asked), ...hosts]);
  return {
    rules: listAsking(decision),
    has: (target) => targets.has(target),
    hasAbove: (target) => [...targets].some((each) => isBelow(target, each)),
    add: (target) => void targets.add(target),
  };
}

/** The rules that ask. */
function listAsking({ subjects }: Decision): readonly Rule[] {
  return subjects.flatMap(({ decision, rule }) => (decision === 'ask' && rule ? [rule] : []));
}

/**
 * Whether the user's answer covers what is touched. The answer about a folder doesn't cover reading a file
 * below it that another rule asks about, such as a secret: the request didn't say that it is there.
 */
function isApproved(
  approved: Approvals,
  { capability, target }: Touch,
  decision: Decision,
): boolean {
  if (approved.has(target)) return true;
  if (!approved.hasAbove(target)) return false;
  return capability !== 'fs.read' || listAsking(decision).every((rule) => hasRule(approved, rule));
}

function hasRule({ rules }: Approvals, rule: Rule): boolean {
  return rules.some((each) => isSameRule(each, rule));
}

interface TouchParts {
  readonly call: GateCall;
  readonly input: unknown;
  /** As resolved when the call was admitted. */
  readonly subjects: readonly Subject[];
  /** As of the call's admission. */
  readonly policy: Policy;
  readonly approved: Approvals;
}

/**
 * Evaluates what the call really touches, at the moment it touches it. If a link is swapped after the
 * first decision, its new target is evaluated again, so there is no race to exploit (corpus C7, PA-027).
 */
export function createTouchGate(parts: TouchParts): Gate {
  const { call, approved } = parts;
  const { operation } = call;
  const paths = new Map<string, string>();
  for (const { target, resolved } of parts.subjects) {
    if (resolved?.ok === true) paths.set(target, resolved.path);
  }
  return {
    realPath: (written) => paths.get(written),
    async authorize(touch) {
      const started = performance.now();
      const decision = await evaluateTouch(parts, touch);
      const asks = decision.decision === 'ask';
      if (asks && isApproved(approved, touch, decision)) return success(undefined);
      if (asks && touch.capability === 'net.fetch') {
        return askAboutHop(parts, touch, decision, () => evaluateTouch(parts, touch));
      }
      if (decision.decision === 'allow' && !isNewHost(parts, touch)) return success(undefined);
      return conclude(parts, touch, decision, started);
    },
    async authorizeAddress(url) {
      const started = performance.now();
      const touch = { capability: 'net.fetch', target: url } as const;
      const decision = decideAddress(parts, url);
      const isKnown = approved.has(url) || approved.hasAbove(url);
      if (decision.decision === 'allow' || isKnown) return success(undefined);
      if (decision.decision === 'ask') {
        return askAboutHop(parts, touch, decision, async () => decideAddress(parts, url));
      }
      return conclude(parts, touch, decision, started);
    },
    filterBelow(folder) {
      // A listing was allowed, so names alone reveal nothing more.
      const onlyNames = getToolFacts(operation.id)?.search === 'names';
      const isAsked = approved.has(folder) || approved.hasAbove(folder);
      const showsAsked = onlyNames || (isAsked && ((rule: Rule) => hasRule(approved, rule)));
      const tools = [operation.id, ...(operation.alsoRuledBy ?? [])];
      const compiled = compileNow(parts);
      const filters = tools.map((tool) => filterSearch({ tool, folder, showsAsked }, compiled));
      return joinFilters(filters.filter((filter) => filter !== undefined));
    },
  };
}

/** What every one of the filters shows. */
function joinFilters(filters: readonly SearchFilter[]): SearchFilter | undefined {
  const [first, ...others] = filters;
  if (first === undefined || others.length === 0) return first;
  return {
    own: filters.some(({ own }) => own),
    shows: (name) => filters.every(({ shows }) => shows(name)),
  };
}

/** The current rules, evaluated from the folder that the call started in. */
function compileNow({ call, policy }: TouchParts): CompiledPolicy {
  const { context } = call;
  const current = context.policy();
  const { cwd } = policy.folders;
  return context.compiler.compile({ ...current, folders: { ...current.folders, cwd } });
}

function evaluateTouch(parts: TouchParts, touch: Touch): Promise<Decision> {
  const { call, input } = parts;
  const { operation } = call;
  const own = toSubject(operation, touch);
  const subjects = [own, ...toTightening(operation, own)] as const;
  return evaluate({ tool: operation.id, input, subjects }, compileNow(parts));
}

/** An address that no rule covers is allowed, because its host name was allowed. */
function decideAddress(parts: TouchParts, url: string): Decision {
  const compiled = compileNow(parts);
  const { id } = parts.call.operation;
  const { action, rule } = evaluateAddress(url, id, compiled);
  const decision = rule === undefined ? 'allow' : action;
  const headless = decision === 'ask' && compiled.policy.headless;
  const about = rule && `The rule ${toRuleSpan(rule)} covers ${toTargetSpan(url)}.`;
  return {
    decision: headless ? 'deny' : decision,
    layer: 'rules',
    reason: about ?? `No rule covers ${toTargetSpan(url)}.`,
    ...(rule && { rule }),
    ...(headless && { headless }),
    subjects: [],
    ...NOTHING_OFFERED,
    details: () => [],
  };
}

function toSubject(
  { id, identity }: Operation,
  { capability, target, inode, unsaved }: Touch,
): Subject {
  const match = capability === 'net.fetch' ? 'host' : 'path';
  const own = { ...(inode && { inode }), ...(unsaved !== undefined && { unsaved }) };
  const bound = identity !== undefined && { identity };
  return { permission: id, capability, target, match, ...bound, ...own };
}

/** Only hosts can be new: a call's files were evaluated with it, and a search may touch thousands below them. */
function isNewHost({ subjects }: TouchParts, { capability, target }: Touch): boolean {
  if (capability !== 'net.fetch') return false;
  return !subjects.some((subject) => subject.match === 'host' && subject.target === target);
}

const DECIDED = {
  allow: 'allow',
  reject: 'deny',
  outside: 'deny',
  cancelled: 'cancel',
} as const;

/** A redirect to a host that was not allowed needs its own ask (spec CA-38). */
async function askAboutHop(
  parts: TouchParts,
  touch: Touch,
  decision: Decision,
  decideAgain: () => Promise<Decision>,
): Promise<Outcome<void>> {
  const started = performance.now();
  const { call, input, approved } = parts;
  const { context, operation, toolCallId, signal } = call;
  const { target } = touch;
  if (context.ask === undefined) {
    return conclude(parts, touch, { ...decision, headless: true }, started);
  }
  const { id: tool, kind } = operation;
  const title = `${tool} continues to ${target}`;
  const details = { toolCallId, tool, kind, title, input, decision, isAside: true } as const;
  // Those that it was evaluated by; the answer may add some.
  const { rules } = context.policy();
  const result = await askUser(context.ask, details, signal, async () => {
    const again = await decideAgain();
    return again.decision === 'ask' ? undefined : again;
  });
  if (result.by === 'rules') return conclude(parts, touch, result.settled, started);
  const { outcome } = result.reply;
  const later = outcome === 'allow' ? await decideAgain() : undefined;
  // The user's answer doesn't lift a deny that came into force while they were asked.
  if (later?.decision === 'deny' || later?.decision === 'refuse') {
    return conclude(parts, touch, later, started);
  }
  if (outcome === 'allow') approved.add(target);
  const decided = DECIDED[outcome];
  const by = outcome === 'cancelled' && signal.aborted ? 'abort' : 'user';
  settle(parts, touch, { decision, rules }, { decision: decided, by }, started);
  return outcome === 'allow' ? success(undefined) : failure(`The user did not allow ${target}.`);
}

/** Settles a touch without the user; it fails unless it is allowed. */
function conclude(
  parts: TouchParts,
  touch: Touch,
  decision: Decision,
  started: number,
): Outcome<void> {
  // A file that needs an ask was not asked about with the call, and it is too late to ask now.
  const decided = decision.decision === 'ask' ? 'deny' : decision.decision;
  const settled = { decision: decided, by: getDecidedBy(decision) };
  const { rules } = parts.call.context.policy();
  settle(parts, touch, { decision, rules }, settled, started);
  return decided === 'allow' ? success(undefined) : failure(decision.reason);
}

function settle(
  { call }: TouchParts,
  { capability, target }: Touch,
  evaluated: Omit<Evaluated, 'paths'>,
  settled: Pick<DecisionEvent, 'decision' | 'by'>,
  started: number,
): void {
  const paths = capability === 'net.fetch' ? [] : [target];
  report(call, { ...evaluated, paths }, { about: 'touch', ...settled }, started);
}
