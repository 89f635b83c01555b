import type { Registry } from '../tools/registry.ts';
import { sessionTools } from './declaredTools.ts';
import type { OpenHost } from './extensionMethods.ts';
import { sessionlessPolicy } from './policy.ts';

/** One row of `_gatehouse/tools`. */
export interface ToolRow {
  readonly id: string;
  readonly source: 'built-in' | 'declared';
  readonly kind: string;
  readonly description: string;
  readonly requires: object;
  readonly parameters: object;
  readonly state: 'offered' | 'disabled' | 'not offered';
  /** Why it is not offered. */
  readonly why?: string;
  /** What its last call in this session failed with. */
  readonly lastError?: string;
  /** Where it was declared. */
  readonly file?: string;
  readonly pointer?: string;
}

/** Every tool of a session, or of the open folders when none is named; those that are not offered with the reason, and the manifests that wait. */
export async function listTools(
  { workshop, sessions }: OpenHost,
  sessionId: string | undefined,
): Promise<{ readonly tools: readonly ToolRow[]; readonly pending: readonly object[] }> {
  const { registry: base } = await workshop.loop();
  const place =
    sessionId === undefined
      ? {
          configuration: () => workshop.configuration.current(workshop.data.scratch),
          policy: () => sessionlessPolicy(workshop),
        }
      : sessions.get(sessionId);
  const { registry, all, declared } = sessionTools(workshop, place, base);
  const errors = sessionId === undefined ? undefined : sessions.get(sessionId).lastErrors;
  const lastError = (id: string): Pick<ToolRow, 'lastError'> => {
    const text = errors?.get(id);
    return text === undefined ? {} : { lastError: text };
  };
  const places = new Map(declared.tools.map((each) => [each.tool.id, each]));
  const offered = all.list().map((tool): ToolRow => {
    const written = places.get(tool.id);
    const { id, kind, description, requires, parameters } = tool;
    const row = {
      id,
      kind,
      description,
      requires,
      parameters,
      state: stateOf(registry, id),
      ...lastError(id),
    };
    if (written === undefined) return { ...row, source: 'built-in' };
    return { ...row, source: 'declared', file: written.file, pointer: written.pointer };
  });
  const held = declared.notOffered.map(
    ({ id, why, file, pointer }): ToolRow => ({
      id,
      source: 'declared',
      kind: 'other',
      description: '',
      requires: {},
      parameters: {},
      state: 'not offered',
      why,
      file,
      pointer,
    }),
  );
  return { tools: [...offered, ...held], pending: declared.pending };
}

function stateOf(offered: Registry, id: string): ToolRow['state'] {
  return offered.get(id) === undefined ? 'disabled' : 'offered';
}
