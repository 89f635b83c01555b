import { evaluate, NOTHING_OFFERED } from '../permissions/evaluate/evaluate.ts';
import type { Decision, Policy, Risk, SubjectDetail } from '../permissions/rules/policy.ts';
import type { PolicyCompiler } from '../permissions/rules/policyCompiler.ts';
import type { Subject } from '../permissions/rules/subject.ts';
import type { Operation } from './operation.ts';

/** A call that was evaluated and asks, in a session whose commands may run in a copy of the workspace. */
export interface CopyCall {
  readonly operation: Operation;
  readonly input: unknown;
  readonly subjects: readonly Subject[];
  readonly decision: Decision;
  readonly policy: Policy;
  readonly compiler: PolicyCompiler;
}

/**
 * The decision to run a call in the copy instead of asking about it; undefined: it asks. Only what no
 * rule decides, or what cannot be proved, may run there. Rules that ask, hosts, files outside of the
 * workspace and the watchdog ask first.
 */
export async function decideCopy(call: CopyCall): Promise<Decision | undefined> {
  const { operation, input, decision, policy, compiler } = call;
  if (policy.headless || operation.runsInCopy?.(input) !== true) return undefined;
  if (operation.confirmation !== undefined || !isUndecided(decision)) return undefined;
  const line = call.subjects.find(({ match }) => match === 'command')?.target;
  if (line === undefined) return undefined;
  const subject = toCopySubject(operation.id, line);
  const copied = await evaluate(
    { tool: operation.id, input, subjects: [subject] },
    compiler.compile(policy),
  );
  if (copied.decision !== 'allow') return undefined;
  // The parts of the line keep their own decisions: none of them is allowed in the workspace.
  return {
    ...copied,
    reason: `${decision.reason} ${IN_COPY}`,
    subjects: [...decision.subjects, ...copied.subjects],
    ...NOTHING_OFFERED,
    details: () => [...decision.details(), ...copied.details()],
  };
}

/** What rules about running in the copy match: the tool and the whole command line. */
function toCopySubject(tool: string, line: string): Subject {
  return { permission: 'copy', target: `${tool} ${line.trimEnd()}`, match: 'text' };
}

const IN_COPY =
  'It runs in a copy of the workspace, and nothing that it changes reaches the workspace before you allow it.';

/** What the copy cannot answer, since it is about more than the files of the workspace. */
const ASKED_FIRST: ReadonlySet<Risk | undefined> = new Set(['watchdog', 'network', 'outside']);

/** Whether the call asks only because no rule covers it or it cannot be analyzed. */
function isUndecided({ decision, layer, subjects, details }: Decision): boolean {
  if (decision !== 'ask' || layer !== 'rules') return false;
  const reasons = details();
  return subjects.every((subject, at) => {
    if (subject.decision !== 'ask') return subject.decision === 'allow';
    const detail = reasons[at];
    if (subject.rule !== undefined || detail === undefined) return false;
    return !ASKED_FIRST.has(detail.risk) || isForeseen(detail);
  });
}

/**
 * A launcher that contacts a host only where its tool isn't installed. The copy has no network; where it is missed,
 * the host is asked about by name.
 */
function isForeseen({ risk, target }: Pick<SubjectDetail, 'risk' | 'target'>): boolean {
  return risk === 'network' && /^npx(?: |$)/.test(target);
}
