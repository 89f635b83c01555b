import type * as vscode from 'vscode';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node';
import { isRulesPath } from '../../base/rulesPath.ts';
import {
  type OpenUsedRule,
  RULE_WINDOW_METHOD,
  type RuleWindow,
  type UsedRule,
} from '../../base/tools/ruleWindow.ts';
import { MANIFEST_SELECTOR, NEIGHBOUR_SELECTOR } from './manifestSelector.ts';

/** Options of the language client. */
export interface LanguageClientOptions {
  /** Absolute path of `dist/language-server/server.cjs`. */
  readonly script: string;
  readonly channel: vscode.LogOutputChannel;
  readonly watcher: vscode.FileSystemWatcher;
  readonly rules: RuleFacts;
}

/** What the window knows about rules, for completion and lenses in settings files. */
export interface RuleFacts {
  current(): Pick<RuleWindow, 'asked' | 'tools' | 'others'>;
  /** Fires when something else is current, or rules may have been used. */
  onDidChange(listener: () => void): vscode.Disposable;
  /** How often the rules of a settings file decided. */
  readUses(document: vscode.TextDocument): Promise<readonly UsedRule[]>;
}

/** The settings files that can contain rules. */
const RULES = ['**/.vscode/settings.json', '**/User/**/settings.json', '**/*.code-workspace'];

/**
 * Starts the language server for manifests and rules in a separate process. This file is a separate
 * bundle, loaded when the first such document opens.
 */
export function startLanguageClient(options: LanguageClientOptions): {
  dispose(): void;
} {
  const { script, channel, watcher, rules } = options;
  const server = { module: script, transport: TransportKind.ipc };
  const report = (error: unknown) => channel.error(`Language server: ${String(error)}`);
  const client: LanguageClient = new LanguageClient(
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
      middleware: {
        // Lenses are asked for when a settings file is shown or changes.
        provideCodeLenses: async (document, token, next) => {
          if (isRulesPath(document.uri.path)) await sender.sendUses(document).catch(report);
          return next(document, token);
        },
      },
    },
  );
  const sender = createSender(client, rules, report);
  client.start().then(sender.send).catch(report);
  return {
    dispose() {
      sender.dispose();
      client.dispose().catch((error: unknown) => channel.warn(String(error)));
    },
  };
}

/** Tells the server what the window knows about rules, whenever that changes. */
function createSender(client: LanguageClient, rules: RuleFacts, report: (error: unknown) => void) {
  const uses = new Map<vscode.TextDocument, readonly OpenUsedRule[]>();
  const send = () =>
    client.sendNotification(RULE_WINDOW_METHOD, {
      ...rules.current(),
      uses: [...uses.values()].flat(),
    });
  const listening = rules.onDidChange(() => {
    if (!client.isRunning()) return;
    send().catch(report);
    // Has the editor ask for the lenses again.
    const lenses = client.getFeature('textDocument/codeLens');
    for (const document of uses.keys())
      lenses.getProvider(document)?.onDidChangeCodeLensEmitter.fire();
  });
  return {
    send,
    dispose: () => listening.dispose(),
    async sendUses(document: vscode.TextDocument): Promise<void> {
      const uri = client.code2ProtocolConverter.asUri(document.uri);
      const own = await rules.readUses(document);
      for (const each of uses.keys()) if (each.isClosed) uses.delete(each);
      uses.set(
        document,
        own.map((use) => ({ ...use, uri })),
      );
      await send();
    },
  };
}
