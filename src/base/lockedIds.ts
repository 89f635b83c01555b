/** The ids nobody else may take (C-9), built or not. */
export const LOCKED_IDS: ReadonlySet<string> = new Set([
  'read',
  'write',
  'edit',
  'glob',
  'grep',
  'bash',
  'todo',
  'task',
  'question',
  'web_search',
  'web_fetch',
  'skill',
  'tool_search',
]);
