import { isStricter } from '../decide/decide.ts';
import { type Evaluation, startEvaluation } from '../decide/evaluation.ts';
import { describeReason, type SubjectResult } from '../decide/subjectResult.ts';
import { type CompiledPolicy, withAllows } from '../rules/compiledPolicy.ts';
import type { Call, Candidate, Decision } from '../rules/policy.ts';
import { findCandidates } from './candidates.ts';
import { prepare, type SubjectEvaluator } from './evaluateSubject.ts';

/**
 * Decides one call. Every subject is evaluated by itself, each simple command of a command line
 * too; the strictest result decides (spec CA-3). The capability layer comes first, and no rule
 * lifts its refusal (spec C-62). Reads links and hard links, nothing else on disk.
 */
export async function evaluate(call: Call, compiled: CompiledPolicy): Promise<Decision> {
  const evaluators: SubjectEvaluator[] = [];
  for (const subject of call.subjects) {
    evaluators.push(await prepare(subject, call, compiled.policy));
  }
  return toDecision(evaluators, startEvaluation(compiled));
}

function toDecision(evaluators: readonly SubjectEvaluator[], compiled: Evaluation): Decision {
  const { policy } = compiled;
  const results: SubjectResult[] = [];
  for (const each of evaluators) for (const result of each(compiled)) results.push(result);
  const refused = results.find((each) => each.refused !== undefined);
  const subjects = results.map(({ subject }) => subject);
  if (refused?.refused !== undefined) {
    const reason = `The agent's capabilities don't allow this call: ${refused.refused}.`;
    return { decision: 'refuse', layer: 'capability', reason, subjects, candidates: noCandidates };
  }
  const [first, ...others] = results;
  if (first === undefined) throw new Error('A call without subjects cannot be evaluated.');
  const strictest = others.reduce(
    (most, each) => (isStricter(each.subject.decision, most.subject.decision) ? each : most),
    first,
  );
  const asked = strictest.subject.decision;
  const decision = asked === 'ask' && policy.headless ? 'deny' : asked;
  const why = describeReason(strictest);
  return {
    decision,
    layer: strictest.watchdog === true ? 'watchdog' : 'rules',
    reason:
      asked === decision ? why : `${why} No user is available to approve it, so it is denied.`,
    ...(strictest.subject.rule !== undefined && { rule: strictest.subject.rule }),
    ...(asked !== decision && { headless: true as const }),
    subjects,
    // Not a getter: it would give every decision its own hidden class, which stays in memory with
    // everything it references until a full garbage collection.
    candidates: () =>
      decision === 'ask'
        ? findCandidates(results, policy, (rules) => wouldAllow(evaluators, compiled, rules))
        : [],
  };
}

/** Whether the same call would be allowed if these rules were added to the session. */
function wouldAllow(
  evaluators: readonly SubjectEvaluator[],
  compiled: Evaluation,
  rules: Candidate['rules'],
): boolean {
  const trial = withAllows(
    compiled,
    rules.map((rule) => ({ ...rule, source: 'session', added_at: Number.MAX_SAFE_INTEGER })),
  );
  return evaluators.every((evaluateNow) =>
    evaluateNow(trial).every(
      ({ subject, refused }) => refused === undefined && subject.decision === 'allow',
    ),
  );
}

function noCandidates(): readonly Candidate[] {
  return [];
}
