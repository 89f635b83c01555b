import type * as vscode from 'vscode';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node';

/** What starts the language server, in the editor's words. */
export interface LanguageClientOptions {
  /** Absolute path of `dist/language-server/server.cjs`. */
  readonly script: string;
  readonly channel: vscode.LogOutputChannel;
  readonly watcher: vscode.FileSystemWatcher;
}

/** The settings files that may hold rules. */
const RULES = ['**/.vscode/settings.json', '**/User/**/settings.json', '**/*.code-workspace'];

/**
 * Starts the language server for manifests and rules in a process of its own. This file is a bundle of its own,
 * loaded when the first of them opens.
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
        { scheme: 'file', pattern: '**/tools.json' },
        { scheme: 'file', pattern: '**/{manifest.toml,policy.caps}' },
        { scheme: 'file', language: 'yaml' },
        ...['file', 'vscode-userdata'].flatMap((scheme) =>
          RULES.map((pattern) => ({ scheme, pattern })),
        ),
      ],
      synchronize: { fileEvents: watcher },
      outputChannel: channel,
      // The editor's own JSON support takes names and their meaning from our schemas.
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
