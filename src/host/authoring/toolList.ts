import { isToolPart } from '../../base/stream/stored.ts';
import type { ToolListing, ToolRow } from '../../base/tools/toolRow.ts';
import type { OpenHost } from '../session/openHost.ts';
import { sessionlessPolicy } from '../session/policy/policy.ts';
import { type SessionTools, sessionTools } from '../session/tools/declaredTools.ts';

/**
 * Every tool of a session, or of the open folders when none is named; those that are not offered with
 * the reason, those the transcript names and nobody has any more (VD-30), and the manifests that wait.
 */
export function listTools(
  { services, sessions }: OpenHost,
  sessionId: string | undefined,
): ToolListing {
  const session = sessionId === undefined ? undefined : sessions.get(sessionId);
  const place = session ?? {
    configuration: () => services.configuration.current(services.data.scratch),
    policy: () => sessionlessPolicy(services),
  };
  const found = sessionTools(services, place);
  const called = session === undefined ? [] : calledTools(services, session.id);
  const gone = called.filter((id) => found.all.get(id) === undefined);
  const tools = [
    ...knownRows(found, session?.lastErrors ?? new Map()),
    ...found.declared.notOffered.map(({ id, ...facts }) => heldRow(id, facts)),
    ...gone.map((id) => heldRow(id, { why: GONE })),
  ];
  return { tools, pending: found.declared.pending };
}

const GONE =
  'This session called it, and it is not there any more. Its results are kept; it cannot be called.';

function knownRows(
  { registry, all, declared }: SessionTools,
  errors: ReadonlyMap<string, string>,
): readonly ToolRow[] {
  const folders = new Map(declared.tools.map((each) => [each.tool.id, each]));
  return all.list().map(({ id, kind, description, requires, parameters }) => {
    const written = folders.get(id);
    const lastError = errors.get(id);
    const state = registry.get(id) === undefined ? 'disabled' : 'offered';
    return {
      ...{ id, kind, description, requires, parameters, state },
      ...(lastError !== undefined && { lastError }),
      ...(written === undefined
        ? { source: 'built-in' }
        : { source: 'declared', file: written.file, pointer: written.pointer }),
    };
  });
}

function heldRow(id: string, facts: Pick<ToolRow, 'why' | 'file' | 'pointer'>): ToolRow {
  const nothing = { kind: 'other', description: '', requires: {}, parameters: {} };
  return { id, source: 'declared', ...nothing, state: 'not offered', ...facts };
}

/** The ids that the session's transcript names. */
function calledTools({ recorder }: OpenHost['services'], sessionId: string): readonly string[] {
  const parts = recorder.messages(sessionId).flatMap((message) => message.parts);
  return [...new Set(parts.filter(isToolPart).map(({ toolName }) => toolName))];
}
