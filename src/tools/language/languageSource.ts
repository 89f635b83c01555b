import { neverChanges, type ToolSource } from '../toolSource.ts';
import { lsp, NOT_AVAILABLE } from './lsp.ts';

/** The source of `lsp`, a tool of the host outside of the locked set. Clients without language features don't have it. */
export function createLanguageSource(isAvailable: boolean): ToolSource {
  const tools = isAvailable ? [{ tool: lsp }] : [];
  const notOffered = isAvailable ? [] : [{ id: lsp.id, why: NOT_AVAILABLE }];
  return {
    id: 'language',
    tools: async () => ({ tools, notOffered, pending: [] }),
    onDidChange: neverChanges,
  };
}
