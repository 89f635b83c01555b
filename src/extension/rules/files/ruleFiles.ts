import path from 'node:path';
import * as vscode from 'vscode';
import type { WireRule } from '../../../acp/gatehouse/rules.ts';
import { systemClock } from '../../../base/clock.ts';
import { withLockFile } from '../../../base/disk/lockFile.ts';
import { getCode, getMessage } from '../../../base/faults.ts';
import { changedTextSpan } from '../../../diff/span.ts';
import {
  addRules,
  findRuleOffset,
  isSame,
  readRules,
  removeRule,
  type SettingsRule,
} from '../../../settings/ruleStore.ts';
import { workspaceSettingsFile } from '../../host/configuration.ts';
import { Refusal } from '../../host/refusal.ts';
import {
  type AddedRules,
  addUserRules,
  answered,
  isUserSettings,
  type PutBack,
  removeListedUserRule,
  removeUserRule,
  type Select,
  type UserSettings,
} from './userRules.ts';

/** A rule that was saved, and where. */
export interface SavedRule {
  readonly rule: WireRule;
  readonly destination: 'workspace' | 'user';
  readonly file: string;
  /** The file has unsaved changes, so the rule is in the editor but not on disk. */
  readonly unsaved: boolean;
}

/** Saves a rule to the destination that the user chose. */
export async function saveRule(
  rule: WireRule,
  destination: 'workspace' | 'user',
  userSettings: string,
): Promise<SavedRule> {
  const { file, unsaved } = await save(() => [rule], destination, userSettings);
  return { rule, destination, file, unsaved };
}

/** Saves rules in one edit. Resolves with those that were not there yet. */
export async function saveRules(
  rules: readonly SettingsRule[],
  destination: 'workspace' | 'user',
  userSettings: string,
): Promise<readonly SavedRule[]> {
  const select = (known: readonly unknown[]) =>
    rules.filter((rule) => !known.some((each) => isSame(each, rule)));
  const { added, file, unsaved } = await save(select, destination, userSettings);
  return added.map((rule) => ({ rule, destination, file, unsaved }));
}

interface Saved extends AddedRules {
  readonly file: string;
}

async function save(
  select: Select,
  destination: 'workspace' | 'user',
  userSettings: string,
): Promise<Saved> {
  if (destination === 'workspace') return saveToWorkspace(select);
  return { ...(await addUserRules(userRules, select, userSettings)), file: userSettings };
}

/** Removes exactly this rule again, also if the file changed since. False if it is gone. */
export async function removeSaved(saved: SavedRule): Promise<boolean> {
  return saved.destination === 'workspace'
    ? (await removeFromWorkspace(saved)) !== undefined
    : removeUserRule(userRules, saved);
}

/** Removes a rule of the list. Undefined if it is gone. */
export function removeListed(saved: SavedRule): Promise<PutBack | undefined> {
  return saved.destination === 'workspace'
    ? removeFromWorkspace(saved)
    : removeListedUserRule(userRules, saved);
}

/**
 * Opens the file at the rule: at `line` (1-based) if that still has it. False if the rule is gone; then
 * the file is open at its rules.
 */
export async function openRule({
  rule,
  file,
  user,
  line,
  index,
}: {
  readonly rule: WireRule;
  readonly file: string;
  readonly user: boolean;
  readonly line?: number;
  readonly index?: number;
}): Promise<boolean> {
  const editor = user ? await openUserSettings() : await openFile(file);
  const section = toSection(file);
  const { document } = editor;
  const text = document.getText();
  if (line !== undefined) {
    const offset = findNearLine(document, rule.pattern, line);
    if (offset >= 0) reveal(editor, offset);
    return offset >= 0;
  }
  const found = findRuleOffset(text, rule, { section, ...(index !== undefined && { index }) });
  if (found === undefined) return false;
  reveal(editor, found.offset);
  return found.exact;
}

/** The offset of a pattern at or after a line, or anywhere if the file was edited since. */
function findNearLine(document: vscode.TextDocument, pattern: string, line: number): number {
  const text = document.getText();
  const start = document.offsetAt(new vscode.Position(line - 1, 0));
  const at = text.indexOf(pattern, start);
  const offset = at < 0 ? text.lastIndexOf(pattern) : at;
  return offset < 0
    ? offset
    : document.offsetAt(new vscode.Position(document.positionAt(offset).line, 0));
}

/** Puts the cursor at an offset, in the middle of the editor. */
export function reveal(editor: vscode.TextEditor, offset: number): void {
  const start = editor.document.positionAt(offset);
  editor.selection = new vscode.Selection(start, start);
  editor.revealRange(new vscode.Range(start, start), vscode.TextEditorRevealType.InCenter);
}

/** Where a settings file has its settings. */
export function toSection(file: string): readonly string[] {
  return file.endsWith('.code-workspace') ? ['settings'] : [];
}

function openFile(file: string): Thenable<vscode.TextEditor> {
  return vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
}

/** VS Code's API does not expose where the user settings are. */
async function openUserSettings(): Promise<vscode.TextEditor> {
  const open = vscode.commands.executeCommand('workbench.action.openSettingsJson');
  await answered(systemClock, open, 'open the user settings');
  for (let tries = 0; tries < EDITOR_TRIES; tries += 1) {
    const editor = vscode.window.activeTextEditor;
    // The settings of a workspace have the same name.
    if (editor !== undefined && isUserSettings(editor.document.uri)) return editor;
    await new Promise<void>((resolve) => systemClock.after(CHANGE_MS, resolve));
  }
  throw new Refusal(
    'VS Code did not open the user settings. Open them with "Preferences: Open User Settings (JSON)".',
  );
}

/** How often the window is looked at until it has told which editor it opened. */
const EDITOR_TRIES = 50;

/** Edits the file directly, because `config.update` would remove comments. */
async function saveToWorkspace(select: Select): Promise<Saved> {
  const file = workspaceSettingsFile(vscode.workspace);
  if (file === undefined)
    throw new Refusal(
      'The rule was not saved: no folder is open, so there are no workspace settings.',
    );
  let added: readonly SettingsRule[] = [];
  const unsaved = await editFile(file.path, (text) => {
    added = select(readRules(text, file.section));
    return addRules(text, added, file.section);
  });
  return { added, file: file.path, unsaved };
}

async function removeFromWorkspace({ rule, file }: SavedRule): Promise<PutBack | undefined> {
  const section = toSection(file);
  let before = '';
  let after: string | undefined;
  await editFile(file, (text) => {
    before = text;
    after = removeRule(text, rule, section);
    return after ?? text;
  });
  if (after === undefined) return undefined;
  const putBack = (text: string) => {
    if (text === after) return before;
    const isThere = readRules(text, section).some((each) => isSame(each, rule));
    return isThere ? text : addRules(text, [rule], section);
  };
  return () => editFile(file, putBack);
}

/** Edits a file, or its document if that has unsaved changes. Returns whether it is left unsaved. */
function editFile(file: string, edit: (text: string) => string): Promise<boolean> {
  return withLockFile(file, () => editNow(file, edit));
}

async function editNow(file: string, edit: (text: string) => string): Promise<boolean> {
  const uri = vscode.Uri.file(file);
  // Documents of other schemes, such as the proposal for this very file, have the same path.
  const document = vscode.workspace.textDocuments.find(
    (each) => each.uri.toString() === uri.toString(),
  );
  if (document?.isDirty) {
    await changeText({ document }, edit);
    return true;
  }
  const known = (await readText(uri)) ?? '';
  const next = edit(known);
  if (next === known) return false;
  try {
    await vscode.workspace.fs.createDirectory(vscode.Uri.file(path.dirname(file)));
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(next));
    return false;
  } catch (fault) {
    return refuse(file, 'written', fault);
  }
}

const userRules: UserSettings = {
  clock: systemClock,
  rules: () => getConfiguration().inspect<unknown>('permissions')?.globalValue,
  update: (rules) =>
    getConfiguration().update('permissions', rules, vscode.ConfigurationTarget.Global),
  read: (file) => readText(vscode.Uri.file(file)),
  async readProfiles(file) {
    const folder = vscode.Uri.joinPath(vscode.Uri.file(file), '..', 'profiles');
    const profiles = await vscode.workspace.fs.readDirectory(folder);
    const read = async ([name]: readonly [string, unknown]) =>
      readText(vscode.Uri.joinPath(folder, name, 'settings.json')).catch(() => undefined);
    const texts = await Promise.all(profiles.map(read));
    return texts.filter((text) => text !== undefined);
  },
  edit: async (change) => changeText(await openUserSettings(), change),
};

function getConfiguration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('gatehouse');
}

/** How often an edit is tried that the user's typing overtakes. */
const EDIT_TRIES = 20;

/**
 * Changes what differs, so that cursors and folds elsewhere stay where they are. VS Code refuses an edit
 * of a document that changed meanwhile, so it is worked out again then. False if there is nothing to
 * change.
 */
async function changeText(
  target: Target,
  change: (text: string) => string | undefined,
): Promise<boolean> {
  const { document } = target;
  for (let tries = 0; tries < EDIT_TRIES; tries += 1) {
    const text = change(document.getText());
    if (text === undefined) return false;
    if (await replaceText(target, text)) return true;
    await awaitChange(document);
  }
  throw new Refusal('The rule was not saved: VS Code could not edit the settings file.');
}

/** A document, and how it is edited where a workspace edit can't. */
type Target = Pick<vscode.TextEditor, 'document'> & Partial<Pick<vscode.TextEditor, 'edit'>>;

function replaceText(target: Target, text: string): Thenable<boolean> {
  const { document } = target;
  const { start, end, text: changed } = changedTextSpan(document.getText(), text);
  const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
  // VS Code takes a workspace edit of the user settings in a browser for one of another version.
  if (target.edit !== undefined) return target.edit((edit) => edit.replace(range, changed));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, range, changed);
  return vscode.workspace.applyEdit(edit);
}

/** Resolves when this process learns of the next change of the document, or after a moment. */
export function awaitChange(document: vscode.TextDocument): Promise<void> {
  return new Promise((resolve) => {
    const timer = systemClock.after(CHANGE_MS, end);
    const listening = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document) end();
    });
    function end(): void {
      timer.dispose();
      listening.dispose();
      resolve();
    }
  });
}

const CHANGE_MS = 100;

async function readText(uri: vscode.Uri): Promise<string | undefined> {
  try {
    // What is not UTF-8, or a byte order mark, would be lost when the text is written.
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(await vscode.workspace.fs.readFile(uri));
  } catch (fault) {
    // A missing file is created. On any other error, don't overwrite a file that wasn't read.
    if (getCode(fault) === 'FileNotFound') return undefined;
    return refuse(uri.fsPath, 'read', fault);
  }
}

function refuse(file: string, how: 'read' | 'written', fault: unknown): never {
  throw new Refusal(
    `${file} can't be ${how}: ${getMessage(fault)} Mend it, or add the rule yourself.`,
  );
}
