import { HOST_TOOL_IDS } from '../../../base/tools/toolFacts.ts';
import { matchesStar, parseStar } from '../../../permissions/patterns/star.ts';

/** The capabilities that rules can name instead of tools. */
export const CAPABILITIES: readonly string[] = [
  'fs.read',
  'fs.write',
  'net.fetch',
  'shell.run',
  'mcp.call',
  'task.spawn',
];

/** `copy`: what may run in a copy of the workspace. */
const OTHERS: readonly string[] = ['copy', '*'];

/** Every permission that is the same in all windows. */
export const PERMISSIONS: readonly string[] = [...HOST_TOOL_IDS, ...CAPABILITIES, ...OTHERS];

/** What other products call these tools, in lower case and without punctuation. */
const FOREIGN: Readonly<Record<string, string>> = {
  shell: 'bash',
  terminal: 'bash',
  runinterminal: 'bash',
  execute: 'bash',
  powershell: 'bash',
  multiedit: 'edit',
  notebookedit: 'edit',
  readfile: 'read',
  writefile: 'write',
  createfile: 'write',
  fetch: 'web_fetch',
  todowrite: 'todo',
  search: 'grep',
  agent: 'task',
  fsexecute: 'shell.run',
  shellexecute: 'shell.run',
  netconnect: 'net.fetch',
};

/** Why a permission is a mistake, and what was probably meant. */
export interface NameProblem {
  readonly message: string;
  readonly near?: string;
}

/**
 * A permission that names no tool and no capability. `tools` are the ids of the declared and MCP tools of
 * the window, as far as they are known. Undefined if it may name one: their ids have an underscore.
 */
export function findNameProblem(
  permission: string,
  tools: readonly string[] = [],
): NameProblem | undefined {
  const known = [...PERMISSIONS, ...tools];
  if (known.includes(permission)) return undefined;
  if (permission.startsWith('mcp:')) return findMcpProblem(permission);
  if (permission.includes('*')) {
    const pattern = parseStar(permission);
    if (known.some((name) => name !== '*' && matchesStar(pattern, name))) return undefined;
    if (/[_:]/.test(permission)) return undefined;
    return { message: `No tool or capability matches "${permission}", so the rule has no effect.` };
  }
  const near = findNear(permission, known);
  if (permission.includes('_') && near === undefined) return undefined;
  const kind = permission.includes('.') ? 'capability' : 'tool';
  const question = near === undefined ? '' : ` Did you mean "${near}"?`;
  const message = `Unknown ${kind} "${permission}", so the rule has no effect.${question}`;
  return { message, ...(near !== undefined && { near }) };
}

/** A server without a tool names no tool, unless its name ends with a wildcard. */
function findMcpProblem(permission: string): NameProblem | undefined {
  const [, server = '', ...tool] = permission.split(':');
  if (server !== '' && (server.endsWith('*') || tool.join(':') !== '')) return undefined;
  const near = server === '' ? 'mcp:*' : `mcp:${server}:*`;
  const message = `"${permission}" names no tool, so the rule has no effect. Did you mean "${near}"?`;
  return { message, near };
}

/** The name that differs in case, punctuation or a few letters only. */
export function findNear(written: string, names: readonly string[]): string | undefined {
  if (written.length > LONGEST) return undefined;
  const plain = toPlain(written);
  const same = names.find((name) => toPlain(name) === plain && plain !== '') ?? FOREIGN[plain];
  if (same !== undefined) return same;
  const most = written.length < 4 ? 1 : 2;
  const near = names
    .map((name) => ({ name, edits: countEdits(written.toLowerCase(), name) }))
    .filter(({ name, edits }) => edits <= Math.min(most, name.length - 2))
    .sort((a, b) => a.edits - b.edits);
  return near[0]?.name;
}

const LONGEST = 64;

function toPlain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9*]/g, '');
}

/** The letters to insert, remove, replace or swap with their neighbor. */
function countEdits(from: string, to: string): number {
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let at = 1; at <= to.length; at += 1) {
      const isSame = from[row - 1] === to[at - 1];
      const swapped = from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1];
      const replaced = (above[at - 1] ?? 0) + (isSame ? 0 : 1);
      const edits = Math.min(replaced, (above[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1);
      next.push(swapped ? Math.min(edits, (before[at - 2] ?? edits) + 1) : edits);
    }
    [before, above] = [above, next];
  }
  return above[to.length] ?? 0;
}
