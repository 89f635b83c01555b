import * as vscode from 'vscode';
import { toToken } from '../asks/cancellation.ts';
import type { ClientMethods } from '../host/connection.ts';
import type { Secrets } from '../setup/secrets.ts';
import type { Translate } from '../text/translate.ts';
import { findServerInput } from './serverInput.ts';

/** Serves what the host's MCP servers need of the user. */
export function connectServers(secrets: Secrets, t: Translate): Pick<ClientMethods, 'serverInput'> {
  const parts = { window: vscode.window, secrets, t };
  return {
    async serverInput(query, signal) {
      const value = await findServerInput(parts, query, toToken(signal));
      return { value: value ?? null };
    },
  };
}
