import { neverChanges, type ToolSource } from '../toolSource.ts';
import { repoClone } from './repoClone.ts';

/** The source of `repo_clone`, a tool of the host outside of the locked set. */
export const cloneSource: ToolSource = {
  id: 'clone',
  tools: async () => ({ tools: [{ tool: repoClone }], notOffered: [], pending: [] }),
  onDidChange: neverChanges,
};
