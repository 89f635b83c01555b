import * as vscode from 'vscode';
import { toToken } from '../asks/cancellation.ts';
import type { ClientMethods } from '../host/connection.ts';
import type { Secrets } from '../setup/secrets.ts';
import type { Translate } from '../text/translate.ts';
import { callEditorTool, listEditorTools } from './editorTools.ts';
import { findServerInput } from './serverInput.ts';

/** Serves what the host's MCP servers need of the user. */
export function connectServers(
  secrets: Secrets,
  t: Translate,
): Pick<
  ClientMethods,
  'serverInput' | 'storeSecret' | 'openBrowser' | 'externalUri' | 'editorTools' | 'editorTool'
> {
  const parts = { window: vscode.window, secrets, t };
  return {
    async serverInput(query, signal) {
      const value = await findServerInput(parts, query, toToken(signal));
      return { value: value ?? null };
    },
    editorTools: async () => listEditorTools(vscode.lm),
    editorTool: (call, signal) => callEditorTool(vscode.lm, call, signal),
    async storeSecret({ id, value }) {
      await (value === null ? secrets.clear(id) : secrets.set(id, value));
      return {};
    },
    // VS Code shows the address and asks before it opens a page. It takes a text too, which is opened as it is:
    // in a parsed URI, escaped characters of a query are lost.
    openBrowser: async ({ url }) => ({
      opened: await vscode.env.openExternal(url as unknown as vscode.Uri),
    }),
    async externalUri({ url }) {
      const found = await vscode.env.asExternalUri(vscode.Uri.parse(url, true));
      return { url: found.toString(true) };
    },
  };
}
