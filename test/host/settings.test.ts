import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { SETTINGS, type SettingKey } from '../../src/base/settings.ts';
import { readConfiguration } from '../../src/extension/host/configuration.ts';
import { readSetting } from '../../src/extension/setup/settings.ts';
import { openAcceptances } from '../../src/host/config/acceptance.ts';
import { createConfigurationStore } from '../../src/host/config/configurationStore.ts';
import { until } from '../workbench/processes.ts';

suite('settings', () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';

  test('every setting is known to the editor and has the default of the code', () => {
    const configuration = vscode.workspace.getConfiguration('gatehouse');
    for (const key of Object.keys(SETTINGS) as SettingKey[]) {
      assert.deepEqual(configuration.inspect(key)?.defaultValue, SETTINGS[key].default, key);
    }
  });

  test('a changed setting is in force at once', async () => {
    await update('chat.sendKey', 'modEnter', vscode.ConfigurationTarget.Global);
    assert.equal(readSetting(vscode.workspace, 'chat.sendKey'), 'modEnter');
    await update('chat.sendKey', undefined, vscode.ConfigurationTarget.Global);
    assert.equal(readSetting(vscode.workspace, 'chat.sendKey'), 'enter');
  });

  test('user and workspace rules have their origins', async () => {
    const user = { permission: 'bash', pattern: 'ls', action: 'allow' };
    const workspace = { permission: 'read', pattern: '.env', action: 'deny' };
    await update('permissions', [user], vscode.ConfigurationTarget.Global);
    await update('permissions', [workspace], vscode.ConfigurationTarget.Workspace);
    assert.deepEqual(snapshot().rules, [
      { ...user, origin: { layer: 'user', index: 0, file: '/user/settings.json' } },
      {
        ...workspace,
        origin: { layer: 'workspace', index: 0, file: path.join(folder, '.vscode/settings.json') },
      },
    ]);
    await update('permissions', undefined, vscode.ConfigurationTarget.Global);
    await update('permissions', undefined, vscode.ConfigurationTarget.Workspace);
    assert.deepEqual(snapshot().rules, []);
  });

  test('a deny that VS Code skips behind a syntax error still holds in the host', async () => {
    const file = path.join(folder, '.vscode', 'settings.json');
    const before = existsSync(file) ? readFileSync(file) : undefined;
    const data = mkdtempSync(path.join(tmpdir(), 'gatehouse-damaged-'));
    const store = createConfigurationStore({
      ...{ expectsSnapshot: true, userFile: path.join(data, 'settings.json'), env: {} },
      acceptances: openAcceptances(path.join(data, 'accepted.json')),
    });
    const rules = () => store.current(folder).rules.map(({ pattern, broken }) => broken ?? pattern);
    const [ask, deny] = ['ask', 'deny'].map((action) =>
      JSON.stringify({ permission: 'bash', pattern: `${action} *`, action }),
    );
    const write = (text: string) => writeFileSync(file, `{ "gatehouse.permissions": [${text}] }`);
    const found = () => snapshot().rules.map(({ pattern }) => pattern);
    const read = (...patterns: readonly string[]) =>
      until('the rules', () => found().join() === patterns.join() || undefined);
    try {
      mkdirSync(path.dirname(file), { recursive: true });
      write(`${ask}, ${deny}`);
      await read('ask *', 'deny *');
      assert.deepEqual(store.configure(snapshot()), []);
      assert.deepEqual(rules(), ['ask *', 'deny *']);
      write(`${ask}, \n{ "permission: "bash" }, ${deny}`);
      await until('VS Code to lose the deny', () => {
        return (found().includes('ask *') && !found().includes('deny *')) || undefined;
      });
      const problems = store.configure(snapshot()).filter((each) => each.damagedLine !== undefined);
      assert.deepEqual(
        problems.map(({ origin, damagedLine }) => [origin?.file, damagedLine]),
        [[file, 2]],
      );
      assert.ok(rules().includes('deny *') && rules().includes(true), String(rules()));
      write(`${ask}, ${deny}`);
      await read('ask *', 'deny *');
      assert.deepEqual(store.configure(snapshot()), []);
      assert.deepEqual(rules(), ['ask *', 'deny *']);
    } finally {
      if (before === undefined) rmSync(file, { force: true });
      else writeFileSync(file, before);
      rmSync(data, { recursive: true });
    }
    await read();
  });

  test('folders of files opened from elsewhere come with the tab and leave with it', async () => {
    const elsewhere = mkdtempSync(path.join(tmpdir(), 'gatehouse-elsewhere-'));
    const file = path.join(elsewhere, 'notes.txt');
    writeFileSync(file, 'notes\n');
    assert.deepEqual(snapshot().workspace, { roots: [folder], adHoc: [], trusted: true });

    await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
    await vscode.window.showTextDocument(vscode.Uri.file(path.join(folder, 'README.md')));
    await until('the folder', () => snapshot().workspace.adHoc.length > 0 || undefined);
    assert.deepEqual(snapshot().workspace.adHoc, [elsewhere]);

    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await until('its leaving', () => snapshot().workspace.adHoc.length === 0 || undefined);
    rmSync(elsewhere, { recursive: true });
  });

  test("the editor's own ripgrep is found", () => {
    assert.match(snapshot().editor.rgPath ?? '', /ripgrep.*\/rg$/);
  });
});

function snapshot() {
  const { appRoot } = vscode.env;
  const { tabGroups } = vscode.window;
  return readConfiguration({
    workspace: vscode.workspace,
    tabGroups,
    appRoot,
    userSettings: '/user/settings.json',
  });
}

function update(key: string, value: unknown, target: vscode.ConfigurationTarget): Thenable<void> {
  return vscode.workspace.getConfiguration('gatehouse').update(key, value, target);
}
