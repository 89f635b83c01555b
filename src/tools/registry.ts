import type { Tool } from './contract.ts';

/** The tools that calls can name. */
export interface Registry {
  get(id: string): Tool | undefined;
  /** In the order in which the model sees them. */
  list(): readonly Tool[];
}

/** Creates a registry. The ids of `tools` must be unique. */
export function createRegistry(tools: readonly Tool[]): Registry {
  const byId = new Map(tools.map((tool) => [tool.id, tool]));
  return { get: (id) => byId.get(id), list: () => tools };
}
