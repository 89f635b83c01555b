import { failure, success } from '../base/outcome.ts';
import { getToolFacts } from '../base/tools/toolFacts.ts';
import { evaluate } from '../permissions/evaluate/evaluate.ts';
import { evaluateAddress } from '../permissions/evaluate/evaluateSubject.ts';
import { filterSearch } from '../permissions/evaluate/searchFilter.ts';
import { isBelow, resolvePath } from '../permissions/patterns/paths.ts';
import type { Decision, Policy } from '../permissions/rules/policy.ts';
import type { Subject } from '../permissions/rules/subject.ts';
import type { Gate, Touch } from '../runtime/runtime.ts';
import type { CallContext, ToolRequest } from './call.ts';
import type { Tool } from './contract.ts';

/** What the user said yes to in this call: real paths and URLs. */
export interface Approvals {
  /** A search that was allowed in a folder may look into the files below it. */
  has(target: string): boolean;
  add(target: string): void;
  /** Keeps what the subjects lead to now, before the user is asked about them. */
  remember(subjects: readonly Subject[], policy: Policy): Promise<void>;
}

export function approvals(): Approvals {
  const targets = new Set<string>();
  return {
    has: (target) => targets.has(target) || [...targets].some((each) => isBelow(target, each)),
    add: (target) => void targets.add(target),
    async remember(subjects, { folders, platform }) {
      for (const { match, target } of subjects) {
        if (match === 'host') targets.add(target);
        if (match !== 'path') continue;
        const resolved = resolvePath(target, { cwd: folders.cwd, platform });
        if (resolved.ok) targets.add(resolved.path);
      }
    },
  };
}

interface GateParts {
  readonly tool: Tool;
  readonly input: unknown;
  readonly context: CallContext;
  readonly policy: Policy;
  readonly approved: Approvals;
  readonly signal: AbortSignal;
  readonly request: ToolRequest;
}

/**
 * Judges what the call really touches, at the moment it touches it. A link that was swapped after
 * the first decision leads to a path that is judged again, so there is no gap to win (C7, PA-027).
 */
export function createGate(parts: GateParts): Gate {
  const { tool, input, approved } = parts;
  return {
    async authorize(touch) {
      const call = { tool: tool.id, input, subjects: [toSubject(tool, touch)] as const };
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
      const { action, rule } = evaluateAddress(url, tool.id, policy);
      if (rule === undefined || action === 'allow' || approved.has(url)) return success(undefined);
      const reason = `The rule "${rule.permission} ${rule.pattern}" is about ${url}.`;
      if (action === 'deny' || policy.headless) return failure(reason);
      const decision = { decision: action, layer: 'rules', reason, rule, subjects: [] } as const;
      const touch = { capability: 'net.fetch', target: url } as const;
      return askAboutHop(parts, touch, { ...decision, candidates: () => [] });
    },
    filterBelow(folder) {
      // Names alone are no more than what a listing that was allowed is about.
      const showsAsked = getToolFacts(tool.id)?.search === 'names' || approved.has(folder);
      return filterSearch({ tool: tool.id, folder, showsAsked }, policyNow(parts));
    },
  };
}

/** The rules as they are by now, from the folder that the call started in. */
function policyNow({ context, policy }: GateParts): Policy {
  const current = context.policy();
  return { ...current, folders: { ...current.folders, cwd: policy.folders.cwd } };
}

function toSubject(tool: Tool, { capability, target, inode }: Touch): Subject {
  const match = capability === 'net.fetch' ? 'host' : 'path';
  return { permission: tool.id, capability, target, match, ...(inode && { inode }) };
}

/** A redirect that leaves what was allowed is a question of its own (CA-38). */
async function askAboutHop(parts: GateParts, { target }: Touch, decision: Decision) {
  const { context, tool, input, request, signal, approved } = parts;
  if (context.ask === undefined) return failure(decision.reason);
  const title = `${tool.id} goes on to ${target}`;
  const { toolCallId } = request;
  const reply = await context.ask({ toolCallId, tool: tool.id, title, input, decision }, signal);
  if (reply.outcome !== 'allow') return failure(`The user did not allow ${target}.`);
  approved.add(target);
  return success(undefined);
}
