import type * as vscode from 'vscode';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node';
import { MANIFEST_SELECTOR, NEIGHBOUR_SELECTOR } from './manifestSelector.ts';

/** Options of the language client. */
export interface LanguageClientOptions {
  /** Absolute path of `dist/language-server/server.cjs`. */
  readonly script: string;
  readonly channel: vscode.LogOutputChannel;
  readonly watcher: vscode.FileSystemWatcher;
}

/** The settings files that can contain rules. */
const RULES = ['**/.vscode/settings.json', '**/User/**/settings.json', '**/*.code-workspace'];

/**
 * Starts the language server for manifests and rules in a separate process. This file is a separate
 * bundle, loaded when the first such document opens.
 */
export function startLanguageClient({ script, channel, watcher }: LanguageClientOptions): {
  dispose(): void;
} {
  const server = { module: script, transport: TransportKind.ipc };
  const client = new LanguageClient(
    'gatehouse',
    'Gatehouse',
    { run: server, debug: server },
    {
      documentSelector: [
        ...MANIFEST_SELECTOR,
        ...NEIGHBOUR_SELECTOR,
        ...['file', 'vscode-userdata'].flatMap((scheme) =>
          RULES.map((pattern) => ({ scheme, pattern })),
        ),
      ],
      synchronize: { fileEvents: watcher, configurationSection: 'gatehouse.limits' },
      outputChannel: channel,
      // VS Code's JSON support provides completion and hover from the contributed schemas.
      initializationOptions: { schemas: true },
    },
  );
  client.start().catch((error: unknown) => channel.error(`Language server: ${String(error)}`));
  return {
    dispose() {
      client.dispose().catch((error: unknown) => channel.warn(String(error)));
    },
  };
}
