import * as vscode from 'vscode';
import { COMMANDS } from './commands.ts';
import { watchManifests } from './declared/manifestDocuments.ts';
import { createGatehouse, type Gatehouse } from './gatehouse.ts';
import { registerCommands } from './register.ts';

let gatehouse: Gatehouse | undefined;

/** Registers commands and views. Everything else starts when one of them is used. */
export function activate(context: vscode.ExtensionContext): Gatehouse | undefined {
  gatehouse = createGatehouse(context);
  context.subscriptions.push(gatehouse, registerCommands(COMMANDS, gatehouse.actions));
  context.subscriptions.push(watchManifests(context, gatehouse.ruleFacts));
  // Tests in the extension host use the parts themselves; other extensions get no API.
  return context.extensionMode === vscode.ExtensionMode.Test ? gatehouse : undefined;
}

/** Ends the host and all its descendants before the window closes. */
export async function deactivate(): Promise<void> {
  await gatehouse?.stopped();
  gatehouse = undefined;
}
