import { randomUUID } from 'node:crypto';
import { failure, type Outcome } from '../../../base/outcome.ts';
import type {
  CompletionRequest,
  ContentPart,
  ContentRequest,
} from '../../../base/tools/serverContent.ts';
import type { Operation } from '../../../gate/operation.ts';
import type { Policy } from '../../../permissions/rules/policy.ts';
import type { Subject } from '../../../permissions/rules/subject.ts';
import type { HostServices } from '../../services/hostServices.ts';
import type { RequiringTool } from '../policy/capabilities.ts';
import { passLaterGate } from './laterGate.ts';
import { type ToolOwner, toSourceSession } from './sessionTools.ts';

/** A session, or the open folders. */
export interface ContentOwner extends ToolOwner {
  policy(tools: readonly RequiringTool[]): Policy;
}

/** Reads what the user has chosen, which is their answer to an ask; rules that deny it hold. */
export async function readServerContent(
  services: HostServices,
  owner: ContentOwner,
  request: ContentRequest,
  signal: AbortSignal,
): Promise<Outcome<readonly ContentPart[]>> {
  const passed = await pass(services, owner, request, signal);
  if (!passed.ok) return passed;
  const catalog = await services.tools();
  return catalog.readContent(toSourceSession(services, owner), request, signal);
}

/** Values that the server suggests for what the user types, unless a rule denies reading it. */
export async function completeServerContent(
  services: HostServices,
  owner: ContentOwner,
  request: CompletionRequest,
  signal: AbortSignal,
): Promise<Outcome<readonly string[]>> {
  const { server, prompt, template } = request;
  const read = prompt === undefined ? { uri: template ?? '' } : { prompt };
  const passed = await pass(services, owner, { server, ...read }, signal);
  if (!passed.ok) return passed;
  const catalog = await services.tools();
  return catalog.completeContent(toSourceSession(services, owner), request, signal);
}

async function pass(
  services: HostServices,
  owner: ContentOwner,
  request: ContentRequest,
  signal: AbortSignal,
): Promise<Outcome<void>> {
  const catalog = await services.tools();
  const written = catalog.getServerName(toSourceSession(services, owner), request.server);
  const passage = await passLaterGate(
    {
      toolCallId: `content_${randomUUID()}`,
      operation: toOperation(request, written),
      context: {
        sessionId: owner.id,
        policy: () => owner.policy([]),
        compiler: services.compiler,
        ask: async () => ({ outcome: 'allow' }),
        onDecision: services.decisions.record,
      },
      signal,
    },
    {},
  );
  return passage.type === 'stopped' ? failure(passage.text) : { ok: true, data: undefined };
}

/** Rules for the whole server cover it, and those for these two names. `written`: the name that it was given. */
function toOperation(
  { server, uri, prompt }: ContentRequest,
  written: string | undefined,
): Operation {
  const what = uri === undefined ? 'get_prompt' : 'read_resource';
  const target = uri ?? prompt ?? '';
  const name = (of: string) => `mcp:${of}:${what}`;
  const own: Subject = { permission: name(server), target, match: 'text' };
  // A rule for the name as written still denies where two servers share it (spec CA-31).
  const other: Subject = { ...own, permission: name(written ?? server), tightensOnly: true };
  return {
    id: what,
    kind: 'read',
    parameters: { type: 'object' },
    subjects: () => (other.permission === own.permission ? [own] : [own, other]),
    title: () => `${server}: ${target}`,
  };
}
