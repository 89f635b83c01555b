import type { Provider } from '../../agent/models/provider.ts';
import type { Client } from '../client/client.ts';
import { requestClient } from '../client/requestClient.ts';
import type { EditorAnswers } from './editorAnswers.ts';
import { createEditorModel } from './editorModel.ts';

/** The language models of the editor, which the client serves. */
export function createEditorProvider(client: Client, answers: EditorAnswers): Provider {
  return {
    id: 'vscode',
    label: 'VS Code',
    kind: 'editor',
    // Not used: the client is asked instead.
    baseUrl: 'editor:',
    key: 'none',
    keyId: 'model/vscode',
    async listModels() {
      if (!client.facts.languageModels) return [];
      const { models } = await requestClient(client, 'languageModels', {});
      return models.map(({ id, name, vendor, contextTokens }) => ({
        id,
        name: name === '' ? id : name,
        account: vendor,
        images: true,
        tools: true,
        ...(contextTokens > 0 && { contextTokens }),
      }));
    },
    open: async (_access, id) => createEditorModel(client, answers, id),
  };
}
