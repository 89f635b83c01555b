import { BUILT_IN, neverChanges, type ToolSource } from '../toolSource.ts';
import { lockedTools } from './lockedTools.ts';

/** The source of the host's own tools. */
export const lockedSource: ToolSource = {
  id: BUILT_IN,
  tools: async ({ searchHosts }) => ({
    tools: lockedTools(searchHosts).map((tool) => ({ tool })),
    notOffered: [],
    pending: [],
  }),
  onDidChange: neverChanges,
};
