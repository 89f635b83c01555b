import * as vscode from 'vscode';
import type { ConfiguredRule } from '../../acp/gatehouse/configure.ts';
import { MOST_OTHERS, type OtherRule } from '../../base/tools/ruleWindow.ts';
import { readRules } from '../host/configuration.ts';

/** The rules that open settings files are compared with, read again when the settings changed. */
export function createOtherRules(
  userSettings: string,
  changed: () => void,
): vscode.Disposable & { list(): readonly OtherRule[] } {
  let known: readonly OtherRule[] | undefined;
  const listening = vscode.workspace.onDidChangeConfiguration((event) => {
    if (!event.affectsConfiguration('gatehouse.permissions')) return;
    known = undefined;
    changed();
  });
  return {
    list() {
      known ??= toOtherRules(readRules({ workspace: vscode.workspace, userSettings }));
      return known;
    },
    dispose: () => listening.dispose(),
  };
}

/** Those that certainly count: what the workspace allows may wait for the user, and folders have rules of their own. */
function toOtherRules(rules: readonly ConfiguredRule[]): readonly OtherRule[] {
  const found: OtherRule[] = [];
  for (const { permission, pattern, action, added_at, origin } of rules) {
    if (found.length >= MOST_OTHERS) break;
    const { layer, file } = origin;
    if (layer !== 'user' && (layer !== 'workspace' || action === 'allow')) continue;
    if (typeof permission !== 'string' || typeof pattern !== 'string') continue;
    if (typeof action !== 'string') continue;
    found.push({
      ...{ permission, pattern, action, layer },
      ...(typeof added_at === 'number' && { added_at }),
      ...(file !== undefined && { file }),
    });
  }
  return found;
}
