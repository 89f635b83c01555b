import { findCandidates } from './candidates.ts';
import { isStricter } from './decide.ts';
import { type Judge, prepare } from './judgeSubject.ts';
import { type Law, toLaw, withAllows } from './law.ts';
import type { Call, Candidate, Judgement, Policy } from './policy.ts';
import { sayWhy, type Verdict } from './verdict.ts';

/**
 * Decides one call. Every subject is judged by itself, a command line's simple commands each; the
 * strictest answer is the call's (CA-3). The capability layer comes first, and no rule lifts its
 * refusal (C-62). Reads links, nothing else. Throws `UnknownVariableError` for a requirement set
 * that names an unknown variable (C-40).
 */
export async function judge(call: Call, policy: Policy): Promise<Judgement> {
  const judges: Judge[] = [];
  for (const subject of call.subjects) judges.push(await prepare(subject, call, policy));
  return toJudgement(judges, policy);
}

function toJudgement(judges: readonly Judge[], policy: Policy): Judgement {
  const law = toLaw(policy);
  const verdicts: Verdict[] = [];
  for (const each of judges) for (const verdict of each(law)) verdicts.push(verdict);
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
    candidates: () =>
      decision === 'ask'
        ? findCandidates(verdicts, policy, (rules) => wouldAllow(judges, law, rules))
        : [],
  };
}

/** Whether the same call would be allowed if these rules were stored for the session now. */
function wouldAllow(judges: readonly Judge[], law: Law, rules: Candidate['rules']): boolean {
  const trial = withAllows(
    law,
    rules.map((rule) => ({ ...rule, source: 'session', added_at: Number.MAX_SAFE_INTEGER })),
  );
  return judges.every((judgeNow) =>
    judgeNow(trial).every(
      ({ subject, refused }) => refused === undefined && subject.decision === 'allow',
    ),
  );
}

function noCandidates(): readonly Candidate[] {
  return [];
}
