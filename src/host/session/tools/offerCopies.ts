import type { GateContext } from '../../../gate/gateContext.ts';
import { resolveCall } from '../../../gate/subjects.ts';
import type { Registry } from '../../../tools/registry.ts';
import { withCopyRules } from '../policy/policy.ts';

type Ask = NonNullable<GateContext['ask']>;
type AskedCall = Parameters<Ask>[0];

interface OfferParts {
  readonly context: () => Pick<GateContext, 'policy' | 'compiler'>;
  readonly registry: Registry;
  /** Whether the client would show an offer, and none was sent yet. */
  wanted(): boolean;
  /** Called after the user has answered such a request. */
  offer(): Promise<void>;
  warn(message: string): void;
}

/** Notices requests that would not have been made if commands ran in a copy, once they are answered. */
export function withOffer(ask: Ask, parts: OfferParts): Ask {
  return async (request, signal) => {
    const reply = await ask(request, signal);
    // The call does not wait for it.
    if (parts.wanted()) void offerFor(request, parts).catch((fault) => parts.warn(String(fault)));
    return reply;
  };
}

async function offerFor(request: AskedCall, parts: OfferParts): Promise<void> {
  if (await couldRunInCopy(request, parts)) await parts.offer();
}

async function couldRunInCopy(
  { tool, input, decision }: AskedCall,
  { context, registry }: OfferParts,
): Promise<boolean> {
  const operation = registry.get(tool);
  if (operation?.runsInCopy === undefined) return false;
  const { compiler, policy: getPolicy } = context();
  const { subjects, policy } = resolveCall(operation, input, withCopyRules(getPolicy()));
  const call = { operation, input, subjects, decision, policy, compiler };
  const { decideCopy } = await import('../../../gate/copies.ts');
  return (await decideCopy(call)) !== undefined;
}
