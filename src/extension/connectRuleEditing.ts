import * as path from 'node:path';
import type * as vscode from 'vscode';
import { systemClock } from '../base/clock.ts';
import { DisposableStore } from '../base/disposable.ts';
import { Emitter } from '../base/event.ts';
import { getMessage } from '../base/faults.ts';
import type { Asks } from './asks/asks.ts';
import type { RuleFacts } from './declared/languageClient.ts';
import { translate as t } from './editor.ts';
import type { HostLink } from './host/hostLink.ts';
import { AskedRules } from './rules/askedRules.ts';
import { isUserSettings } from './rules/files/userRules.ts';
import { createOtherRules } from './rules/otherRules.ts';
import { createRuleUses } from './rules/ruleUses.ts';

export interface RuleEditingParts {
  readonly context: vscode.ExtensionContext;
  readonly asks: Asks;
  readonly link: HostLink;
  readonly log: vscode.LogOutputChannel;
  /** The id of the session that the chat shows. */
  session(): string | undefined;
}

/** Collects what completion and lenses in settings files need to know. Starts no host. */
export function connectRuleEditing(parts: RuleEditingParts): RuleFacts & vscode.Disposable {
  const { context, link, log } = parts;
  const store = new DisposableStore();
  const asked = store.add(new AskedRules(parts.asks));
  const changed = store.add(new Emitter<void>());
  let tools: readonly string[] = [];
  const readUses = createRuleUses({ link, clock: systemClock, t });
  const others = store.add(createOtherRules(getUserSettings(context), () => changed.fire()));
  // A request that is settled was decided, and so were the calls before it.
  store.add(parts.asks.onDidChange(() => changed.fire()));
  store.add(
    link.onDidConnect(async (connection) => {
      try {
        if (link.listsTools) tools = (await connection.call('tools', {})).tools.map(({ id }) => id);
        changed.fire();
      } catch (error) {
        log.warn(`Could not list the tools for settings files: ${getMessage(error)}`);
      }
    }),
  );
  return {
    current: () => ({ asked: asked.list(parts.session()), tools, others: others.list() }),
    onDidChange: changed.event,
    readUses: (document) => readUses(toSettingsFile(document, context)),
    dispose: () => store.dispose(),
  };
}

/** The path by which the host knows the file: that of the user settings isn't in the document's URI. */
function toSettingsFile({ uri }: vscode.TextDocument, context: vscode.ExtensionContext): string {
  return isUserSettings(uri) ? getUserSettings(context) : uri.fsPath;
}

function getUserSettings({ globalStorageUri }: vscode.ExtensionContext): string {
  return path.join(globalStorageUri.fsPath, '..', '..', 'settings.json');
}
