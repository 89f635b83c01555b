import { failure, success } from '../base/outcome.ts';
import { getToolFacts } from '../base/tools/toolFacts.ts';
import { evaluate } from '../permissions/evaluate/evaluate.ts';
import { evaluateAddress } from '../permissions/evaluate/evaluateSubject.ts';
import { filterSearch } from '../permissions/evaluate/searchFilter.ts';
import type { Decision, Policy } from '../permissions/rules/policy.ts';
import type { Subject } from '../permissions/rules/subject.ts';
import type { Gate, Touch } from '../runtime/runtime.ts';
import type { Approvals } from './approvals.ts';
import type { GateContext } from './gateContext.ts';
import type { Operation } from './operation.ts';

interface TouchParts {
  readonly operation: Operation;
  readonly input: unknown;
  readonly context: GateContext;
  /** As it was when the call was admitted. */
  readonly policy: Policy;
  readonly approved: Approvals;
  readonly signal: AbortSignal;
  readonly toolCallId: string;
}

/**
 * Judges what the call really touches, at the moment it touches it. A link that was swapped after
 * the first decision leads to a path that is judged again, so there is no gap to win (C7, PA-027).
 */
export function createTouchGate(parts: TouchParts): Gate {
  const { operation, input, approved } = parts;
  return {
    async authorize(touch) {
      const call = { tool: operation.id, input, subjects: [toSubject(operation, touch)] as const };
      const decision = await evaluate(call, policyNow(parts));
      if (decision.decision === 'allow') return success(undefined);
      const known = approved.has(touch.target);
      if (decision.decision === 'ask' && known) return success(undefined);
      if (decision.decision === 'ask' && touch.capability === 'net.fetch') {
        return askAboutHop(parts, touch, decision);
      }
      return failure(decision.reason);
    },
    async authorizeAddress(url) {
      const policy = policyNow(parts);
      const { action, rule } = evaluateAddress(url, operation.id, policy);
      if (rule === undefined || action === 'allow' || approved.has(url)) return success(undefined);
      const reason = `The rule "${rule.permission} ${rule.pattern}" is about ${url}.`;
      if (action === 'deny' || policy.headless) return failure(reason);
      const decision = { decision: action, layer: 'rules', reason, rule, subjects: [] } as const;
      const touch = { capability: 'net.fetch', target: url } as const;
      return askAboutHop(parts, touch, { ...decision, candidates: () => [] });
    },
    filterBelow(folder) {
      // Names alone are no more than what a listing that was allowed is about.
      const showsAsked = getToolFacts(operation.id)?.search === 'names' || approved.has(folder);
      return filterSearch({ tool: operation.id, folder, showsAsked }, policyNow(parts));
    },
  };
}

/** The rules as they are by now, from the folder that the call started in. */
function policyNow({ context, policy }: TouchParts): Policy {
  const current = context.policy();
  return { ...current, folders: { ...current.folders, cwd: policy.folders.cwd } };
}

function toSubject({ id }: Operation, { capability, target, inode }: Touch): Subject {
  const match = capability === 'net.fetch' ? 'host' : 'path';
  return { permission: id, capability, target, match, ...(inode && { inode }) };
}

/** A redirect that leaves what was allowed is a question of its own (CA-38). */
async function askAboutHop(parts: TouchParts, { target }: Touch, decision: Decision) {
  const { context, operation, input, toolCallId, signal, approved } = parts;
  if (context.ask === undefined) return failure(decision.reason);
  const tool = operation.id;
  const title = `${tool} goes on to ${target}`;
  const reply = await context.ask({ toolCallId, tool, title, input, decision }, signal);
  if (reply.outcome !== 'allow') return failure(`The user did not allow ${target}.`);
  approved.add(target);
  return success(undefined);
}
