import { neverChanges, type ToolSource } from '../toolSource.ts';
import { repoOverview } from './repoOverview.ts';

/** The source of `repo_overview`, a tool of the host outside of the locked set. */
export const overviewSource: ToolSource = {
  id: 'overview',
  tools: async () => ({ tools: [{ tool: repoOverview }], notOffered: [], pending: [] }),
  onDidChange: neverChanges,
};
