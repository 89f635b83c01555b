import { sessionTools } from './declaredTools.ts';
import type { OpenHost } from './extensionMethods.ts';

/** One row of `_gatehouse/tools`. */
export interface ToolRow {
  readonly id: string;
  readonly source: 'built-in' | 'declared';
  readonly kind: string;
  readonly description: string;
  readonly requires: object;
  readonly parameters: object;
  readonly state: 'offered' | 'not offered';
  /** Why it is not offered. */
  readonly why?: string;
  /** Where it was declared. */
  readonly file?: string;
  readonly pointer?: string;
}

/** Every tool of a session, those that are not offered with the reason, and the manifests that wait. */
export async function listTools(
  { workshop, sessions }: OpenHost,
  sessionId: string,
): Promise<{ readonly tools: readonly ToolRow[]; readonly pending: readonly object[] }> {
  const { registry: base } = await workshop.loop();
  const { registry, declared } = sessionTools(workshop, sessions.get(sessionId), base);
  const places = new Map(declared.tools.map((each) => [each.tool.id, each]));
  const offered = registry.list().map((tool): ToolRow => {
    const place = places.get(tool.id);
    const { id, kind, description, requires, parameters } = tool;
    const row = { id, kind, description, requires, parameters, state: 'offered' as const };
    if (place === undefined) return { ...row, source: 'built-in' };
    return { ...row, source: 'declared', file: place.file, pointer: place.pointer };
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
