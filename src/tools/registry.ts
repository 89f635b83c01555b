import type { Disposable } from '../base/disposable.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';
import { isLocked } from '../base/tools/toolFacts.ts';
import type { Tool } from './contract.ts';
import { lockedTools } from './locked/lockedTools.ts';

/** The tools one agent has. */
export interface Registry {
  get(id: string): Tool | undefined;
  /** Locked tools first, then the others in the order of their registration. */
  list(): readonly Tool[];
  /** Refuses what is not a whole tool (C-67), a locked id (C-20) and an id that is taken (C-3). */
  register(tool: unknown): Outcome<Disposable>;
}

/**
 * The locked tools and `extra`. Throws when an extra tool is refused: that is a bug of the caller.
 * `searchHosts` are the hosts of the configured search providers (decision 24).
 */
export function createRegistry(
  extra: readonly Tool[] = [],
  { searchHosts = [] }: { readonly searchHosts?: readonly string[] } = {},
): Registry {
  const tools = new Map<string, Tool>(lockedTools(searchHosts).map((tool) => [tool.id, tool]));

  function register(tool: unknown): Outcome<Disposable> {
    const fault = findFault(tool);
    if (fault !== undefined) return failure(fault);
    if (!isTool(tool)) return failure('A tool needs subjects() and execute().');
    const { id } = tool;
    if (isLocked(id)) return failure(`The id "${id}" is locked; choose another.`);
    if (tools.has(id)) return failure(`The id "${id}" is taken by another tool.`);
    tools.set(id, tool);
    return success({ dispose: () => void (tools.get(id) === tool && tools.delete(id)) });
  }

  for (const tool of extra) {
    const registered = register(tool);
    if (!registered.ok) throw new Error(registered.error);
  }
  return { get: (id) => tools.get(id), list: () => [...tools.values()], register };
}

const FIELDS = [
  ['id', 'string'],
  ['description', 'string'],
  ['parameters', 'object'],
  ['requires', 'object'],
] as const;

/** Names the first field that is missing (VC-2). */
function findFault(tool: unknown): string | undefined {
  if (typeof tool !== 'object' || tool === null) return 'A tool is an object.';
  const fields = new Map<string, unknown>(Object.entries(tool));
  for (const [name, type] of FIELDS) {
    const value = fields.get(name);
    if (typeof value === type && value !== null && value !== '') continue;
    const label = typeof fields.get('id') === 'string' ? `Tool "${fields.get('id')}"` : 'A tool';
    return `${label} lacks "${name}" (${type}).`;
  }
  return undefined;
}

function isTool(tool: unknown): tool is Tool {
  if (typeof tool !== 'object' || tool === null) return false;
  const callable = (name: string) => typeof Reflect.get(tool, name) === 'function';
  return callable('subjects') && callable('execute');
}
