import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { saveRules } from '../../src/extension/rules/files/ruleFiles.ts';
import { until } from '../workbench/processes.ts';

const RULES = ['make *', 'cargo test *'].map((pattern) => ({
  ...{ permission: 'bash', pattern },
  action: 'allow' as const,
}));
const START = `{
  // Mine.
  "gatehouse.permissions": [
    // Also mine.
    { "permission": "bash", "pattern": "make *", "action": "allow" }
  ]
}
`;

suite('importing rules', () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const file = path.join(folder, '.vscode/settings.json');
  const before = existsSync(file) ? readFileSync(file) : undefined;
  teardown(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    if (before === undefined) rmSync(file, { force: true });
    else writeFileSync(file, before);
  });

  test('the command shows the preview in a document, and saves nothing without a choice', async () => {
    const ended = vscode.commands.executeCommand('gatehouse.importRules');
    const text = await until('the preview', () => {
      const shown = vscode.window.visibleTextEditors.map(({ document }) => document);
      return shown.find(({ uri }) => uri.scheme === 'gatehouse-explain')?.getText();
    });
    assert.match(text, /^(Files \(|No settings of Claude Code)/);
    let isOpen = true;
    void ended.then(() => {
      isOpen = false;
    });
    await until('the end of the command', async () => {
      await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
      return isOpen ? undefined : true;
    });
    assert.deepEqual(existsSync(file) ? readFileSync(file) : undefined, before);
  });

  test('rules that are there are skipped, and comments are kept', async () => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, START);
    const saved = await saveRules(RULES, 'workspace', '');
    assert.deepEqual(
      saved.map(({ rule }) => rule),
      RULES.slice(1),
    );
    const text = readFileSync(file, 'utf8');
    assert.equal(text.match(/"make \*"/g)?.length, 1);
    assert.match(text, /"cargo test \*"/);
    for (const kept of ['// Mine.', '// Also mine.']) assert.ok(text.includes(kept), kept);
  });
});
