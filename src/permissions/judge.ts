import { isStricter } from './decide.ts';
import { judgeSubject } from './judgeSubject.ts';
import { toLaw } from './law.ts';
import type { Call, Judgement, Policy } from './policy.ts';
import type { Action } from './rule.ts';
import type { Verdict } from './verdict.ts';

/**
 * Decides one call. Every subject is judged by itself, a command line's simple commands each; the
 * strictest answer is the call's (CA-3). The capability layer comes first, and no rule lifts its
 * refusal (C-62). Reads links, nothing else. Throws `UnknownVariableError` for a requirement set
 * that names an unknown variable (C-40).
 */
export async function judge(call: Call, policy: Policy): Promise<Judgement> {
  const law = toLaw(policy);
  const verdicts: Verdict[] = [];
  for (const subject of call.subjects) verdicts.push(...(await judgeSubject(subject, call, law)));
  return toJudgement(verdicts, policy);
}

function toJudgement(verdicts: readonly Verdict[], policy: Policy): Judgement {
  const refused = verdicts.find((each) => each.refused !== undefined);
  const subjects = verdicts.map(({ subject }) => subject);
  if (refused?.refused !== undefined) {
    const reason = `Outside what this agent may use: ${refused.refused}`;
    return { decision: 'refuse', layer: 'capability', reason, subjects, candidates: [] };
  }
  const strictest = verdicts.reduce<Verdict | undefined>(
    (most, each) =>
      most === undefined || isStricter(each.subject.decision, most.subject.decision) ? each : most,
    undefined,
  );
  const asked: Action = strictest?.subject.decision ?? 'ask';
  const decision = asked === 'ask' && policy.headless ? 'deny' : asked;
  const why = strictest?.why ?? 'Nothing is known of this call.';
  return {
    decision,
    layer: 'rules',
    reason: asked !== decision ? `${why} No user is there to ask, so it is denied.` : why,
    ...(strictest?.subject.rule !== undefined && { rule: strictest.subject.rule }),
    subjects,
    candidates: [],
  };
}
