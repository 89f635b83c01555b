import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Gatehouse } from '../../src/extension/gatehouse.ts';
import { removeListed, removeSaved, saveRule } from '../../src/extension/rules/files/ruleFiles.ts';
import { until } from '../workbench/processes.ts';
import { revertAll } from './unsaved.ts';

const RULE = { permission: 'bash', pattern: 'touch *', action: 'allow' } as const;
const START = '{\n  // Mine.\n  "editor.tabSize": 4,\n}\n';
const EXPECTED = /"permission": "bash",\s+"pattern": "touch \*",\s+"action": "allow"/;

suite('rules saved into a settings file with unsaved text', () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const file = path.join(folder, '.vscode/settings.json');
  const before = existsSync(file) ? readFileSync(file) : undefined;
  const files = () => vscode.workspace.getConfiguration('files');

  suiteSetup(() => files().update('autoSave', 'off', true));
  suiteTeardown(async () => {
    await files().update('autoSave', undefined, true);
    // The editor refuses to save settings until it has read what was written behind its back.
    await until('the settings to be read', async () => {
      try {
        const { Workspace } = vscode.ConfigurationTarget;
        const settings = vscode.workspace.getConfiguration('gatehouse');
        await settings.update('permissions', undefined, Workspace);
        return true;
      } catch {
        // What could not be saved stays behind as unsaved text.
        await revertAll();
        return undefined;
      }
    });
  });
  teardown(async () => {
    await revertAll();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    if (before === undefined) rmSync(file, { force: true });
    else writeFileSync(file, before);
  });

  /** Opens the settings of the folder and types something into them. */
  async function typeInto(typed: string, at: number): Promise<vscode.TextDocument> {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, START);
    const document = await vscode.workspace.openTextDocument(file);
    // The editor may still have what a test before had.
    await until('the text of the disk', async () => {
      if (document.getText() === START) return true;
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('workbench.action.files.revert');
      return undefined;
    });
    await insert(document, typed, at);
    return document;
  }

  test('the rule joins the unsaved text, of which nothing is lost, and Undo removes only the rule', async () => {
    const typed = '\n  // Still typing…\n  "files.eol": "\\n",';
    const document = await typeInto(typed, 1);
    const unsaved = document.getText();
    const saved = await saveRule(RULE, 'workspace', '');
    assert.equal(saved.unsaved, true);
    assert.match(document.getText(), EXPECTED);
    assert.ok(isKept(unsaved, document.getText()), document.getText());
    assert.equal(document.isDirty, true);
    assert.equal(readFileSync(file, 'utf8'), START, 'saving is left to the user');
    assert.equal(await removeSaved(saved), true);
    assert.doesNotMatch(document.getText(), EXPECTED);
    for (const part of ['// Mine.', typed, '"editor.tabSize": 4']) {
      assert.ok(document.getText().includes(part), part);
    }
  });

  test('a rule that was removed in the list is put back where it was, with its comment', async () => {
    mkdirSync(path.dirname(file), { recursive: true });
    const other = { ...RULE, pattern: 'other' };
    const own = `{\n  "gatehouse.permissions": [\n    // Why it is here.\n    ${JSON.stringify(RULE)},\n    ${JSON.stringify(other)}\n  ]\n}\n`;
    writeFileSync(file, own);
    const saved = { rule: RULE, destination: 'workspace', file, unsaved: false } as const;
    const putBack = await removeListed(saved);
    assert.ok(!readFileSync(file, 'utf8').includes(RULE.pattern));
    await putBack?.();
    assert.equal(readFileSync(file, 'utf8'), own);
    const again = await removeListed(saved);
    await saveRule({ ...RULE, pattern: 'meanwhile' }, 'workspace', '');
    await again?.();
    const text = readFileSync(file, 'utf8');
    const order = ['other', 'meanwhile', RULE.pattern].map((pattern) =>
      text.indexOf(`"${pattern}"`),
    );
    assert.deepEqual(
      order,
      [...order].sort((a, b) => a - b),
      text,
    );
    assert.equal(await removeListed({ ...saved, rule: { ...RULE, pattern: 'gone' } }), undefined);
  });

  for (const half of ['"editor.wordWrap": ', '"editor.wordWrap', '"a": [1, 2', '/* half']) {
    test(`text that is not valid yet is kept: ${half}`, async () => {
      const document = await typeInto(`\n  ${half}`, START.indexOf('\n}'));
      const unsaved = document.getText();
      const saved = await saveRule(RULE, 'workspace', '').catch((error: unknown) => error);
      assert.ok(isKept(unsaved, document.getText()), document.getText());
      assert.equal(readFileSync(file, 'utf8'), START);
      if (!(saved instanceof Error)) assert.ok(document.getText().includes('touch *'));
    });
  }

  test('rules of many answers at the same time are all saved, for the folder and for the user', async () => {
    const patterns = Array.from({ length: 6 }, (_, index) => `at once ${index}`);
    const save = (destination: 'workspace' | 'user') =>
      patterns.map((pattern) => saveRule({ ...RULE, pattern }, destination, userSettings()));
    const gatehouse = () => vscode.workspace.getConfiguration('gatehouse');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, START);
    try {
      const saved = await Promise.all([...save('workspace'), ...save('user')]);
      assert.deepEqual(new Set(saved.map(({ unsaved }) => unsaved)), new Set([false]));
      const text = readFileSync(file, 'utf8');
      for (const pattern of patterns) assert.ok(text.includes(`"${pattern}"`), pattern);
      const { globalValue } = gatehouse().inspect<(typeof RULE)[]>('permissions') ?? {};
      assert.deepEqual(globalValue?.map(({ pattern }) => pattern).sort(), patterns);
    } finally {
      await gatehouse().update('permissions', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  test('the proposal for that file, which has its path, is not taken for it', async () => {
    const extension = vscode.extensions.getExtension<Gatehouse>('gatehouse.gatehouse');
    assert.ok(extension);
    const { review } = await extension.activate();
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, START);
    const call = { sessionId: 'settings', toolCallId: 'settings' };
    const newText = START.replace('4', '8');
    const _meta = { gatehouse: { beforeHash: '0' } };
    await review.reviews.add('settings', call, [
      { type: 'diff', path: file, oldText: START, newText, _meta },
    ]);
    await review.reviews.open('settings', true);
    const proposal = await until('the proposal', () =>
      vscode.workspace.textDocuments.find(({ uri }) => {
        const query = new URLSearchParams(uri.query);
        return query.get('side') === 'proposed' && query.get('call') === 'settings';
      }),
    );
    await insert(proposal, '// A draft\n', 0);
    const saved = await saveRule(RULE, 'workspace', '');
    assert.equal(saved.unsaved, false);
    assert.equal(proposal.getText(), `// A draft\n${newText}`);
    assert.match(readFileSync(file, 'utf8'), EXPECTED);
    assert.ok(readFileSync(file, 'utf8').includes('// Mine.'));
    await review.reviews.finish('settings', 'rejected');
  });
});

/** The user settings of the server that started this extension host. Linux only. */
function userSettings(): string {
  const words = readFileSync(`/proc/${process.ppid}/cmdline`, 'utf8').split('\0');
  const data = words[words.indexOf('--user-data-dir') + 1];
  assert.ok(data !== undefined && path.isAbsolute(data), words.join(' '));
  return path.join(data, 'User', 'settings.json');
}

async function insert(document: vscode.TextDocument, text: string, at: number): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, document.positionAt(at), text);
  assert.equal(await vscode.workspace.applyEdit(edit), true);
  await until('unsaved text', () => document.isDirty || undefined);
}

/** Whether every character is still there, in the same order. */
function isKept(before: string, after: string): boolean {
  let at = 0;
  for (const character of before.replaceAll(/\s/g, '')) {
    at = after.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
