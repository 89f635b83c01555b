import type { EditorTools } from '../../mcp/editorSource.ts';
import type { Client } from '../client/client.ts';
import { requestClient } from '../client/requestClient.ts';

/** The tools of the editor's other extensions; undefined if the client serves none. */
export function createClientTools(client: Client): EditorTools | undefined {
  if (!client.facts.editorTools) return undefined;
  return {
    list: async () => (await requestClient(client, 'editorTools', {})).tools,
    async call(name, input, signal) {
      const { texts, error } = await requestClient(client, 'editorTool', { name, input }, signal);
      if (error !== undefined) throw new Error(error);
      return texts;
    },
  };
}
