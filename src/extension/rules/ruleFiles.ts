import path from 'node:path';
import * as vscode from 'vscode';
import type { WireRule } from '../../acp/gatehouse/rules.ts';
import { getCode } from '../../base/faults.ts';
import { changedTextSpan } from '../../diff/span.ts';
import { workspaceSettingsFile } from '../host/configuration.ts';
import { Refusal } from '../host/refusal.ts';
import { addRule, findRuleOffset, hasCommentsInRules, isSame, removeRule } from './ruleStore.ts';

/** A rule that was saved, and where. */
export interface SavedRule {
  readonly rule: WireRule;
  readonly destination: 'workspace' | 'user';
  readonly file: string;
  /** The file has unsaved changes, so the rule is in the editor but not on disk. */
  readonly unsaved: boolean;
}

/** Saves a rule to the destination that the user chose. */
export function saveRule(
  rule: WireRule,
  destination: 'workspace' | 'user',
  userSettings: string,
): Promise<SavedRule> {
  return destination === 'workspace' ? saveToWorkspace(rule) : saveToUser(rule, userSettings);
}

/** Removes exactly this rule again, also if the file changed since. False if it is gone. */
export function removeSaved(saved: SavedRule): Promise<boolean> {
  return saved.destination === 'workspace' ? removeFromWorkspace(saved) : removeFromUser(saved);
}

/** Opens the settings file at the rule. */
export async function openRule({
  rule,
  file,
  user,
}: {
  readonly rule: WireRule;
  readonly file: string;
  readonly user: boolean;
}): Promise<void> {
  const editor = user ? await openUserSettings() : await openFile(file);
  const section = file.endsWith('.code-workspace') ? ['settings'] : [];
  const { document } = editor;
  const offset = findRuleOffset(document.getText(), rule, section);
  const text = offset === undefined ? document.getText().indexOf(rule.pattern) : offset;
  if (text < 0) return;
  const start = document.positionAt(text);
  editor.selection = new vscode.Selection(start, start);
  editor.revealRange(new vscode.Range(start, start), vscode.TextEditorRevealType.InCenter);
}

function openFile(file: string): Thenable<vscode.TextEditor> {
  return vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
}

/** VS Code's API does not expose where the user settings are. */
async function openUserSettings(): Promise<vscode.TextEditor> {
  await vscode.commands.executeCommand('workbench.action.openSettingsJson');
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || !editor.document.uri.path.endsWith('settings.json')) {
    throw new Refusal('Could not open the user settings.');
  }
  return editor;
}

/** Edits the file directly, because `config.update` would remove comments. */
async function saveToWorkspace(rule: WireRule): Promise<SavedRule> {
  const file = workspaceSettingsFile(vscode.workspace);
  if (file === undefined)
    throw new Refusal(
      'The rule was not saved: no folder is open, so there are no workspace settings.',
    );
  const unsaved = await editFile(file.path, (text) => addRule(text, rule, file.section));
  return { rule, destination: 'workspace', file: file.path, unsaved };
}

async function removeFromWorkspace({ rule, file }: SavedRule): Promise<boolean> {
  const section = file.endsWith('.code-workspace') ? ['settings'] : [];
  let removed = false;
  await editFile(file, (text) => {
    const next = removeRule(text, rule, section);
    removed = next !== undefined;
    return next ?? text;
  });
  return removed;
}

/** Edits a file, or its document if that has unsaved changes. Returns whether it is left unsaved. */
async function editFile(file: string, edit: (text: string) => string): Promise<boolean> {
  const uri = vscode.Uri.file(file);
  const document = vscode.workspace.textDocuments.find((each) => each.uri.fsPath === file);
  if (document?.isDirty) {
    await replaceText(document, edit(document.getText()));
    return true;
  }
  await vscode.workspace.fs.createDirectory(vscode.Uri.file(path.dirname(file)));
  const known = (await readText(uri)) ?? '';
  const next = edit(known);
  if (next !== known) await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(next));
  return false;
}

/**
 * VS Code's API does not expose the path of the user settings. They are updated through the
 * configuration API. If that would remove comments, or fails, they are opened in an editor with the
 * rule inserted, for the user to save.
 */
async function saveToUser(rule: WireRule, userSettings: string): Promise<SavedRule> {
  const saved = { rule, destination: 'user', file: userSettings } as const;
  const written = await updateUser(userSettings, (rules) => [...rules, rule]);
  if (written) return { ...saved, unsaved: false };
  const { document } = await openUserSettings();
  await replaceText(document, addRule(document.getText(), rule));
  return { ...saved, unsaved: true };
}

async function removeFromUser({ rule, file, unsaved }: SavedRule): Promise<boolean> {
  const isNewest = (rules: readonly unknown[]) => rules.findLastIndex((each) => isSame(each, rule));
  if (!unsaved && isNewest(getUserRules()) >= 0) {
    const written = await updateUser(file, (rules) => rules.toSpliced(isNewest(rules), 1));
    if (written) return true;
  }
  const { document } = await openUserSettings();
  const next = removeRule(document.getText(), rule);
  if (next === undefined) return false;
  await replaceText(document, next);
  return true;
}

function getUserRules(): readonly unknown[] {
  const configuration = vscode.workspace.getConfiguration('gatehouse');
  const known = configuration.inspect<unknown>('permissions')?.globalValue;
  return Array.isArray(known) ? known : [];
}

/** Updates the user's rules through the configuration API. False if that would lose comments. */
async function updateUser(
  userSettings: string,
  change: (rules: readonly unknown[]) => readonly unknown[],
): Promise<boolean> {
  const text = await readText(vscode.Uri.file(userSettings)).catch(() => undefined);
  const unreadable = text === undefined && getUserRules().length > 0;
  if (unreadable || hasCommentsInRules(text ?? '')) return false;
  const configuration = vscode.workspace.getConfiguration('gatehouse');
  const next = change(getUserRules());
  try {
    await configuration.update('permissions', next, vscode.ConfigurationTarget.Global);
    return true;
  } catch {
    // The settings file has unsaved changes: edit its document instead.
    return false;
  }
}

/** Replaces what differs, so that cursors and folds elsewhere stay where they are. */
async function replaceText(document: vscode.TextDocument, text: string): Promise<void> {
  const known = document.getText();
  const { start, end, text: changed } = changedTextSpan(known, text);
  const edit = new vscode.WorkspaceEdit();
  const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
  edit.replace(document.uri, range, changed);
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
