import { BUILT_IN, neverChanges, type ToolSource } from '../toolSource.ts';
import { lockedTools } from './lockedTools.ts';

/** The tools of the host itself. */
export const lockedSource: ToolSource = {
  id: BUILT_IN,
  tools: async ({ searchHosts }) => ({
    tools: lockedTools(searchHosts).map((tool) => ({ tool })),
    notOffered: [],
    pending: [],
  }),
  onDidChange: neverChanges,
};
