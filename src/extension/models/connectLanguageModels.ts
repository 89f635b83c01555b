import * as vscode from 'vscode';
import type { LanguageModelPart } from '../../acp/gatehouse/client.ts';
import type { AcpConnection, ClientMethods } from '../host/connection.ts';
import { type LanguageModelParts, listLanguageModels, runLanguageModel } from './languageModels.ts';

/** Serves VS Code's language models to the host. */
export function connectLanguageModels(
  connect: () => Promise<Pick<AcpConnection, 'call'>>,
): Pick<ClientMethods, 'languageModels' | 'languageModel'> {
  const parts: LanguageModelParts = {
    lm: vscode.lm,
    api: vscode,
    justification: vscode.l10n.t('Gatehouse sends your messages and what its tools read to it.'),
  };
  return {
    languageModels: () => listLanguageModels(parts),
    languageModel: async (params, signal) => {
      const host = await connect();
      const send = (part: LanguageModelPart) => host.call('languageModelPart', part);
      return runLanguageModel(parts, params, send, signal);
    },
  };
}
