import type { Explained } from '../../base/tools/explained.ts';
import type { Candidate, Decision } from '../rules/policy.ts';

/** A decision in the form of an explanation, as `gatehouse explain` and the editor show it. */
export type ExplainedDecision = Pick<Decision, 'decision' | 'layer' | 'reason' | 'rule'> & {
  readonly subjects: readonly (Decision['subjects'][number] &
    Pick<Explained['subjects'][number], 'reason'>)[];
  readonly candidates: readonly Candidate[];
  readonly near?: string;
};

export function toExplained(decision: Decision): ExplainedDecision {
  const { offers: _offers, near, details, subjects, candidates, ...shown } = decision;
  const found = details();
  const nearly = near?.()?.reason;
  return {
    ...shown,
    subjects: subjects.map((subject, at) => {
      const reason = found[at]?.reason;
      return reason === undefined ? subject : { ...subject, reason };
    }),
    candidates: candidates(),
    ...(nearly !== undefined && { near: nearly }),
  };
}
