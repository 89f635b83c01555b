import type { ExplainedCall } from '../../acp/gatehouse/explain.ts';
import type { Explained } from '../../base/tools/explained.ts';
import { decideCopy } from '../../gate/copies.ts';
import { resolveCall } from '../../gate/subjects.ts';
import { findBrokenText, findCallFault } from '../../gate/validate.ts';
import { confirmed, withExactRule } from '../../gate/watchdog.ts';
import { evaluate } from '../../permissions/evaluate/evaluate.ts';
import { toExplained } from '../../permissions/explain/toExplained.ts';
import { isTrusted } from '../config/configuration.ts';
import { openFolders } from './openFolders.ts';
import type { OpenHost } from './openHost.ts';
import { openCopies } from './tools/callContext.ts';
import { sessionTools } from './tools/sessionTools.ts';

/**
 * The decision that a call of this tool would get now, without running it. Evaluated in a session, or
 * over the open folders when no session is named. The result is one line of `gatehouse explain`.
 */
export async function explainCall(
  { services, sessions }: OpenHost,
  { sessionId, tool, input = {} }: ExplainedCall,
): Promise<Explained & { readonly id: null }> {
  const owner = sessionId === undefined ? openFolders(services) : sessions.get(sessionId);
  if (!isTrusted(owner.configuration(), services.client.facts.configure)) {
    return toRefusal(UNTRUSTED);
  }
  const { registry } = await sessionTools(services, owner);
  const known = registry.get(tool);
  if (known === undefined) return toRefusal(`There is no tool "${tool}".`);
  const fault = await findCallFault(known, input);
  if (fault !== undefined) return toRefusal(fault);
  const { subjects, policy } = resolveCall(known, input, owner.policy(registry.list()));
  const evaluated = await evaluate({ tool, input, subjects }, services.compiler.compile(policy));
  const general = confirmed(known, input, evaluated, policy.headless);
  const exact =
    sessionId && sessions.get(sessionId).exactRule(tool, { input, identity: known.identity });
  const stands = general.decision === 'refuse' || general.decision === 'deny';
  const asked = (exact && !stands && withExactRule(general, exact)) || general;
  const broken = stands ? undefined : findBrokenText(input);
  if (broken !== undefined) return toRefusal(broken);
  const call = { operation: known, input, subjects, policy, compiler: services.compiler };
  const copies = await openCopies(services, owner);
  const decision = (copies && (await decideCopy({ ...call, decision: asked }))) ?? asked;
  return { id: null, ...toExplained(decision) };
}

/** To decide, folders and git's files are looked at. */
const UNTRUSTED =
  'This workspace is not trusted, so nothing of it is read, and a decision may depend on its files.';

/** An invalid call gets the answer that `gatehouse explain` gives: an error of the schema layer. */
function toRefusal(reason: string): Explained & { readonly id: null } {
  return { id: null, decision: 'error', layer: 'schema', reason, subjects: [] };
}
