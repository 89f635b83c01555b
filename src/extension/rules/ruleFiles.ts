import path from 'node:path';
import * as vscode from 'vscode';
import type { WireRule } from '../../acp/gatehouse/rules.ts';
import { getCode } from '../../base/faults.ts';
import { workspaceSettingsFile } from '../host/configuration.ts';
import { Refusal } from '../host/refusal.ts';
import { addRule, hasCommentsInRules } from './ruleStore.ts';

/** Saves a rule to the destination that the user chose. Resolves with the file's path. */
export function saveRule(
  rule: WireRule,
  destination: 'workspace' | 'user',
  userSettings: string,
): Promise<string> {
  return destination === 'workspace' ? saveToWorkspace(rule) : saveToUser(rule, userSettings);
}

/** Edits the file directly, because `config.update` would remove comments. */
async function saveToWorkspace(rule: WireRule): Promise<string> {
  const file = workspaceSettingsFile(vscode.workspace);
  if (file === undefined)
    throw new Refusal(
      'The rule was not saved: no folder is open, so there are no workspace settings.',
    );
  const uri = vscode.Uri.file(file.path);
  const document = vscode.workspace.textDocuments.find((each) => each.uri.fsPath === file.path);
  if (document?.isDirty) {
    await replaceText(document, addRule(document.getText(), rule, file.section));
    return file.path;
  }
  await vscode.workspace.fs.createDirectory(vscode.Uri.file(path.dirname(file.path)));
  const text = addRule((await readText(uri)) ?? '', rule, file.section);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  return file.path;
}

/**
 * VS Code's API does not expose the path of the user settings. They are updated through the
 * configuration API. If that would remove comments, or fails, they are opened in an editor with the
 * rule inserted, for the user to save.
 */
async function saveToUser(rule: WireRule, userSettings: string): Promise<string> {
  const configuration = vscode.workspace.getConfiguration('gatehouse');
  const known = configuration.inspect<unknown>('permissions')?.globalValue;
  const rules = Array.isArray(known) ? known : [];
  const text = await readText(vscode.Uri.file(userSettings)).catch(() => undefined);
  const unreadable = text === undefined && rules.length > 0;
  if (!unreadable && !hasCommentsInRules(text ?? '')) {
    try {
      await configuration.update(
        'permissions',
        [...rules, rule],
        vscode.ConfigurationTarget.Global,
      );
      return userSettings;
    } catch {
      // The settings file has unsaved changes: insert the rule in the editor instead.
    }
  }
  await insertInEditor(rule);
  return userSettings;
}

async function insertInEditor(rule: WireRule): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettingsJson');
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined || !document.uri.path.endsWith('settings.json')) {
    throw new Refusal('The rule was not saved: could not open the user settings.');
  }
  await replaceText(document, addRule(document.getText(), rule));
  const message = vscode.l10n.t(
    'The rule was added to your settings, but the file is not saved. Save it to keep the rule.',
  );
  void vscode.window.showInformationMessage(message);
}

async function replaceText(document: vscode.TextDocument, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const end = document.lineAt(document.lineCount - 1).range.end;
  edit.replace(document.uri, new vscode.Range(new vscode.Position(0, 0), end), text);
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Refusal('The rule was not saved: VS Code could not edit the settings file.');
  }
}

async function readText(uri: vscode.Uri): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch (fault) {
    // A missing file is created. On any other error, don't overwrite a file that wasn't read.
    if (getCode(fault) === 'FileNotFound') return undefined;
    throw fault;
  }
}
