import { findCandidates } from './candidates.ts';
import { isStricter } from './decide.ts';
import { judgeSubject } from './judgeSubject.ts';
import { type Law, toLaw } from './law.ts';
import type { Call, Candidate, Judgement, Policy } from './policy.ts';
import { sayWhy, type Verdict } from './verdict.ts';

/**
 * Decides one call. Every subject is judged by itself, a command line's simple commands each; the
 * strictest answer is the call's (CA-3). The capability layer comes first, and no rule lifts its
 * refusal (C-62). Reads links, nothing else. Throws `UnknownVariableError` for a requirement set
 * that names an unknown variable (C-40).
 */
export async function judge(call: Call, policy: Policy): Promise<Judgement> {
  const law = toLaw(policy);
  const verdicts: Verdict[] = [];
  for (const subject of call.subjects) {
    for (const verdict of await judgeSubject(subject, call, law)) verdicts.push(verdict);
  }
  return toJudgement(verdicts, law);
}

function toJudgement(verdicts: readonly Verdict[], law: Law): Judgement {
  const { policy } = law;
  const refused = verdicts.find((each) => each.refused !== undefined);
  const subjects = verdicts.map(({ subject }) => subject);
  if (refused?.refused !== undefined) {
    const reason = `Outside what this agent may use: ${refused.refused}.`;
    return { decision: 'refuse', layer: 'capability', reason, subjects, candidates: noCandidates };
  }
  const [first, ...others] = verdicts;
  if (first === undefined) throw new Error('A call without subjects cannot be judged.');
  const strictest = others.reduce(
    (most, each) => (isStricter(each.subject.decision, most.subject.decision) ? each : most),
    first,
  );
  const asked = strictest.subject.decision;
  const decision = asked === 'ask' && policy.headless ? 'deny' : asked;
  const why = sayWhy(strictest);
  return {
    decision,
    layer: strictest.watchdog === true ? 'watchdog' : 'rules',
    reason: asked === decision ? why : `${why} No user is there to ask, so it is denied.`,
    ...(strictest.subject.rule !== undefined && { rule: strictest.subject.rule }),
    subjects,
    // A getter would give every judgement a hidden class of its own, which only a full collection
    // of garbage frees, with all that it holds.
    candidates: () => (decision === 'ask' ? findCandidates(verdicts, law) : []),
  };
}

function noCandidates(): readonly Candidate[] {
  return [];
}
