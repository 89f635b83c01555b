import type { ToolKind } from './toolKind.ts';

const TABLE: readonly (readonly [string, ToolKind])[] = [
  ['read', 'read'],
  ['write', 'edit'],
  ['edit', 'edit'],
  ['glob', 'search'],
  ['grep', 'search'],
  ['bash', 'execute'],
  ['todo', 'other'],
  ['task', 'other'],
  ['question', 'other'],
  ['web_search', 'fetch'],
  ['web_fetch', 'fetch'],
  ['skill', 'think'],
  ['tool_search', 'search'],
];

/** The ids nobody else may take (C-9), built or not, and the spec's normative kind of each (C(b).8). */
export const LOCKED_KINDS: ReadonlyMap<string, ToolKind> = new Map(TABLE);

export function isLocked(id: string): boolean {
  return LOCKED_KINDS.has(id);
}
