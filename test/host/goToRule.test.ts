import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Gatehouse } from '../../src/extension/gatehouse.ts';
import type { RuleReference } from '../../src/webview/messages/asks.ts';
import { until } from '../workbench/processes.ts';

const ask = (pattern: string) => ({ permission: 'fs.read', pattern, action: 'ask' }) as const;

suite('Go to Rule', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-rules-'));

  suiteTeardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  teardown(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  /** The line that the cursor is in after *Go to Rule*. */
  async function goTo(reference: RuleReference): Promise<string> {
    const extension = vscode.extensions.getExtension<Gatehouse>('gatehouse.gatehouse');
    assert.ok(extension);
    const { rules } = await extension.activate();
    await rules.goTo(reference, undefined);
    const editor = await until('an editor', () => vscode.window.activeTextEditor);
    return editor.document.lineAt(editor.selection.active.line).text.trim();
  }

  function write(name: string, text: string): string {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  test('a shipped rule is a line of a read-only document', async () => {
    const line = await goTo({ rule: ask('**/*.pem'), layer: 'default', index: 12 });
    assert.match(
      line,
      /^\{ "permission": "fs.read", "pattern": "\*\*\/\*\.pem", "action": "ask" \}/,
    );
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.languageId, 'jsonc');
    assert.equal(vscode.workspace.fs.isWritableFileSystem('gatehouse-rules'), false);
    await assert.rejects(
      async () => vscode.workspace.fs.writeFile(document.uri, new Uint8Array()),
      /read-only|NoPermissions|not writable/i,
    );
  });

  test('the command opens the same document', async () => {
    await vscode.commands.executeCommand('gatehouse.showShippedRules');
    const { document } = await until('an editor', () => vscode.window.activeTextEditor);
    assert.match(document.getText(), /The rules that Gatehouse ships/);
    assert.ok(document.lineCount > 500);
  });

  const settings = `{
  "gatehouse.permissions": [
    // First.
    { "permission": "bash", "pattern": "ls *", "action": "allow" },
    { "permission": "fs.read", "pattern": "**/a", "action": "ask" },
    { "permission": "bash", "action": "deny" }
  ]
}
`;
  for (const layer of ['workspace', 'folder'])
    test(`a rule of a ${layer} is found in its file, wherever it has moved`, async () => {
      const file = write(`${layer}/.vscode/settings.json`, settings);
      const reference = { rule: ask('**/a'), layer, file, index: 0 };
      assert.match(await goTo(reference), /"\*\*\/a"/);
    });

  test('an invalid rule, which reads as another one, is found by its position', async () => {
    const file = write('invalid/.vscode/settings.json', settings);
    const rule = { permission: 'bash', pattern: '*', action: 'ask' } as const;
    assert.match(await goTo({ rule, layer: 'workspace', file, index: 2 }), /"action": "deny"/);
  });

  test('a rule that is gone opens the list that it was in', async () => {
    const file = write('gone/.vscode/settings.json', settings);
    const line = await goTo({ rule: ask('**/gone'), layer: 'workspace', file, index: 1 });
    assert.match(line, /"gatehouse.permissions"/);
  });

  test('a rule of a .code-workspace file is found in its settings', async () => {
    const file = write('all.code-workspace', `{ "folders": [],\n"settings":\n${settings}}`);
    assert.match(await goTo({ rule: ask('**/a'), layer: 'workspace', file }), /"\*\*\/a"/);
  });

  test('a rule of an agent is found at its line, also after an edit of the file', async () => {
    const file = write(
      'docs.md',
      '---\ndescription: Reads **/a.\npermissions:\n  - {permission: fs.read, pattern: "**/a", action: ask}\n---\n',
    );
    const reference = { rule: ask('**/a'), layer: 'manifest', file, index: 0 };
    assert.match(await goTo({ ...reference, line: 4 }), /^- \{permission/);
    assert.match(await goTo({ ...reference, line: 3 }), /^- \{permission/);
    assert.match(await goTo({ ...reference, line: 400 }), /^- \{permission/);
  });
});
