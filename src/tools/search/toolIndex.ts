import MiniSearch from 'minisearch';
import type { Tool } from '../contract.ts';

/** What a search needs to know of a tool. */
export type SearchedTool = Pick<Tool, 'id' | 'description' | 'parameters'>;

/** Finds tools by words of their ids, descriptions and parameters, ranked by BM25 (spec CS-54). */
export interface ToolIndex {
  /** The ids of at most `most` tools, the best first. */
  search(query: string, most: number): readonly string[];
}

export function createToolIndex(tools: readonly SearchedTool[]): ToolIndex {
  const index = new MiniSearch({
    fields: ['name', 'description', 'parameters'],
    tokenize: splitWords,
    processTerm: (word) => word.toLowerCase() || null,
  });
  index.addAll(tools.map(toDocument));
  const ids = new Set(tools.map(({ id }) => id));
  return {
    search(query, most) {
      const text = query.trim().slice(0, QUERY_LENGTH);
      const found = index.search(text, {
        boost: { name: 3, parameters: 0.5 },
        prefix: (word) => word.length > 2,
        fuzzy: (word) => (word.length > 4 ? 0.2 : false),
      });
      const ranked = found.map(({ id }) => String(id));
      // Whoever knows the id wants this tool, however common its words are.
      const exact = ids.has(text) ? [text] : [];
      return [...new Set([...exact, ...ranked])].slice(0, most);
    },
  };
}

/** A longer query only costs time. */
const QUERY_LENGTH = 500;
/** Long descriptions repeat themselves, and indexing thousands of them would block the host. */
const DESCRIPTION_LENGTH = 1000;
const PARAMETERS = 30;

function toDocument({ id, description, parameters }: SearchedTool) {
  const { properties } = parameters as { readonly properties?: unknown };
  const names = typeof properties === 'object' && properties !== null ? properties : {};
  return {
    id,
    name: id,
    description: description.slice(0, DESCRIPTION_LENGTH),
    parameters: Object.keys(names).slice(0, PARAMETERS).join(' '),
  };
}

/** `createIssue` and `create_issue` are the words "create" and "issue". */
function splitWords(text: string): string[] {
  const apart = text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2');
  return apart.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}
