import { neverChanges, type ToolSource } from '../toolSource.ts';
import { applyPatch } from './applyPatch.ts';

/** The source of `apply_patch`, a tool of the host outside of the locked set (spec C-21). */
export const patchSource: ToolSource = {
  id: 'patch',
  tools: async () => ({ tools: [{ tool: applyPatch }], notOffered: [], pending: [] }),
  onDidChange: neverChanges,
};
