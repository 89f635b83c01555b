import { isLocked } from '../base/tools/toolFacts.ts';
import type { PendingManifest } from '../base/tools/toolRow.ts';
import type { Tool } from './contract.ts';
import { createRegistry, type Registry } from './registry.ts';
import { BUILT_IN, type NotOffered, type OfferedTool, type ToolOffer } from './toolSource.ts';

/** Every tool of one session. */
export interface SessionTools {
  /** The enabled tools: the model sees these, and calls can name them. */
  readonly registry: Registry;
  /** All complete tools, including disabled ones. */
  readonly tools: readonly SourcedTool[];
  readonly notOffered: readonly (NotOffered & { readonly source: string })[];
  readonly pending: readonly PendingManifest[];
}

export interface SourcedTool extends OfferedTool {
  /** The id of its source. */
  readonly source: string;
  /** Disabled by the user: the model does not see it, and calls cannot name it. */
  readonly disabled: boolean;
}

export interface SourceOffer {
  readonly source: string;
  readonly offer: ToolOffer;
}

/**
 * Combines the offers of all sources, in their order. An incomplete tool (spec C-67), takes
 * a locked id (spec C-20) or an id that an earlier tool has (spec C-3) is listed as not offered, with the reason.
 */
export function composeTools(
  offers: readonly SourceOffer[],
  disabled: readonly string[],
): SessionTools {
  const tools = new Map<string, SourcedTool>();
  const refused: SessionTools['notOffered'][number][] = [];
  for (const { source, offer } of offers) {
    for (const offered of offer.tools) {
      const { tool, ...origin } = offered;
      const why = findIncomplete(tool) ?? findIdClash(tool.id, source, tools);
      if (why !== undefined) refused.push({ id: toId(tool), source, ...origin, why });
      else tools.set(tool.id, { ...offered, source, disabled: isDisabled(tool, disabled) });
    }
  }
  const all = [...tools.values()];
  const held = offers.flatMap(({ source, offer }) =>
    offer.notOffered.map((each) => ({ ...each, source })),
  );
  return {
    registry: createRegistry(all.filter((each) => !each.disabled).map(({ tool }) => tool)),
    tools: all,
    notOffered: [...held, ...refused],
    pending: offers.flatMap(({ offer }) => offer.pending),
  };
}

function isDisabled({ id, formerId = id }: Tool, disabled: readonly string[]): boolean {
  return disabled.includes(id) || disabled.includes(formerId);
}

function findIdClash(
  id: string,
  source: string,
  known: ReadonlyMap<string, unknown>,
): string | undefined {
  if (isLocked(id) && source !== BUILT_IN) return `The id "${id}" is locked; choose another.`;
  return known.has(id) ? `The id "${id}" is already used by another tool.` : undefined;
}

const FIELDS = [
  ['id', 'string'],
  ['description', 'string'],
  ['parameters', 'object'],
  ['requires', 'object'],
  ['subjects', 'function'],
  ['execute', 'function'],
] as const;

/** Names the first field that is missing (spec VC-2). Sources may load tools of any shape. */
function findIncomplete(tool: unknown): string | undefined {
  if (typeof tool !== 'object' || tool === null) return 'A tool must be an object.';
  for (const [name, type] of FIELDS) {
    const value: unknown = Reflect.get(tool, name);
    if (typeof value === type && value !== null && value !== '') continue;
    return `The tool has no "${name}" (${type}).`;
  }
  return undefined;
}

/** The id to list for a value that may not be a tool at all. */
function toId(tool: Tool | undefined): string {
  return typeof tool?.id === 'string' && tool.id !== '' ? tool.id : '?';
}
