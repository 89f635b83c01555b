import type { AgentDefinition } from '../../../agentDefinitions/definition.ts';
import { isHostTool, LOCKED_IDS } from '../../../base/tools/toolFacts.ts';
import type { ToolMatch } from '../../../runtime/sessionServices.ts';
import type { Tool } from '../../../tools/contract.ts';
import { toolSearch } from '../../../tools/locked/toolSearch.ts';
import type { Registry } from '../../../tools/registry.ts';
import type { ToolIndex } from '../../../tools/search/toolIndex.ts';
import type { ToolSearchSettings } from '../../config/settings.ts';

export interface OfferOptions {
  readonly registry: Registry;
  readonly definition: Pick<AgentDefinition, 'tools'>;
  readonly settings: ToolSearchSettings;
  /** The ids of the tools that the session's searches have found so far. */
  readonly found: readonly string[];
  /** Stores the ids with the session. */
  save(found: readonly string[]): void;
}

/** The tools of one turn: those that the model is offered, and those that it has to search for. */
export interface OfferedTools {
  /** The tools of the turn's first request. */
  readonly first: readonly Tool[];
  /** Every tool of the session; `get` finds only those that are offered now. */
  readonly registry: Registry;
  /** Absent: every tool is offered. */
  readonly search?: (query: string) => Promise<readonly ToolMatch[]>;
  /** Offers what was found since the last step, and returns it (spec CS-54). */
  offerFound(): readonly Tool[];
  /** Why a tool that the session has can't be called yet. */
  whyHidden(id: string): string | undefined;
}

/**
 * With more tools than the threshold, the host's own tools, those that the agent's definition names, and
 * those found earlier are offered. The others are in an index (spec C-27, CS-52, CS-53).
 */
export function offerTools(options: OfferOptions): OfferedTools {
  const { registry, settings } = options;
  const own = registry.list().filter(({ id }) => id !== toolSearch.id);
  const known = new Set([...options.found, ...namedIds(options.definition)]);
  const stays = (tool: Tool) => isHostTool(tool.id) || isKnown(tool, known);
  // Extra tools of the host are no reason to hide a project's few.
  const counted = LOCKED_IDS.length + own.filter(({ id }) => !isHostTool(id)).length;
  const isMany = settings.enabled && counted > settings.threshold;
  const canSearch = registry.get(toolSearch.id) !== undefined;
  const hidden = isMany && canSearch ? own.filter((tool) => !stays(tool)) : [];
  if (hidden.length === 0) {
    return { first: own, registry, offerFound: () => [], whyHidden: () => undefined };
  }
  return searchable(options, own, hidden);
}

function searchable(
  { registry, settings, found, save }: OfferOptions,
  own: readonly Tool[],
  hidden: readonly Tool[],
): OfferedTools {
  const waiting = new Map(hidden.map((tool) => [tool.id, tool]));
  const shown = own.filter(({ id }) => !waiting.has(id));
  const next = new Map<string, Tool>();
  const all = new Set(found);
  return {
    first: [...shown, { ...toolSearch, description: describeSearch(hidden.length) }],
    registry: { ...registry, get: (id) => (waiting.has(id) ? undefined : registry.get(id)) },
    async search(query) {
      const index = await indexTools(registry);
      const tools = index
        .search(query, settings.maxMatches)
        .flatMap((id) => registry.get(id) ?? []);
      const fresh = tools.filter(({ id }) => waiting.has(id) && !all.has(id));
      for (const tool of fresh) {
        next.set(tool.id, tool);
        all.add(tool.id);
      }
      if (fresh.length > 0) save([...all]);
      return tools.map(toMatch);
    },
    offerFound() {
      const tools = [...next.values()];
      next.clear();
      for (const { id } of tools) waiting.delete(id);
      return tools;
    },
    whyHidden: (id) => (waiting.has(id) ? SEARCH_FIRST : undefined),
  };
}

const SEARCH_FIRST = 'It is not loaded. Find it with tool_search, then call it in your next step.';

function describeSearch(count: number): string {
  const more = count === 1 ? '1 more tool is' : `${count} more tools are`;
  return `${toolSearch.description} ${more} found only by a search.`;
}

/** Ids that a definition writes out. A glob limits the agent's tools, and names none of them. */
function namedIds({ tools = [] }: Pick<AgentDefinition, 'tools'>): readonly string[] {
  return tools.filter((pattern) => !pattern.includes('*'));
}

function isKnown({ id, formerId = id }: Tool, known: ReadonlySet<string>): boolean {
  return known.has(id) || known.has(formerId);
}

const indexes = new WeakMap<readonly Tool[], Promise<ToolIndex>>();

/** Kept while the catalog's list of tools is the same. */
function indexTools(registry: Registry): Promise<ToolIndex> {
  const tools = registry.list();
  const known = indexes.get(tools);
  if (known !== undefined) return known;
  const made = import('../../../tools/search/toolIndex.ts').then(({ createToolIndex }) =>
    createToolIndex(tools.filter(({ id }) => !isHostTool(id))),
  );
  indexes.set(tools, made);
  return made;
}

/** The full text, as far as it can be told apart from a document (spec CS-55). */
const DESCRIPTION_LENGTH = 2000;

function toMatch({ id, description }: Tool): ToolMatch {
  const isLong = description.length > DESCRIPTION_LENGTH;
  return { id, description: isLong ? `${description.slice(0, DESCRIPTION_LENGTH)}…` : description };
}
