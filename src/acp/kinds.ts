import type { ToolKind } from '../base/toolKind.ts';

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

/** The spec's normative kind table for the locked tools (C(b).8). Everything else is `other` unless declared. */
export const LOCKED_KINDS: ReadonlyMap<string, ToolKind> = new Map(TABLE);
