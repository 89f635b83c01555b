import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { until } from '../workbench/processes.ts';
import { revertAll } from './unsaved.ts';

suite('rules in settings files', () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const file = path.join(folder, '.vscode', 'settings.json');
  let before: string | undefined;

  suiteSetup(() => {
    before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    mkdirSync(path.dirname(file), { recursive: true });
    if (before === undefined) writeFileSync(file, '{}\n');
  });
  suiteTeardown(async () => {
    await revertAll();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    if (before === undefined) rmSync(file, { force: true });
    else writeFileSync(file, before);
  });

  async function open(text: string): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
    await vscode.window.showTextDocument(document);
    const whole = new vscode.Range(
      document.positionAt(0),
      document.positionAt(document.getText().length),
    );
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, whole, text);
    await vscode.workspace.applyEdit(edit);
    return document;
  }

  function diagnostics({ uri }: vscode.TextDocument): readonly vscode.Diagnostic[] {
    return vscode.languages.getDiagnostics(uri);
  }

  async function complete(document: vscode.TextDocument, text: string, inside: number) {
    const list = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      document.uri,
      document.positionAt(document.getText().indexOf(text) + inside),
    );
    return list.items.map(({ label }) => (typeof label === 'string' ? label : label.label));
  }

  test('each problem is reported once, by Gatehouse alone', async () => {
    const document = await open(`{
  // Mine.
  "gatehouse.permissions": [
    { "permission": "bash", "pattern": 5, "action": "allow" },
    { "permission": "bash", "pattern": "ls", "action": "permit" },
    { "pattern": "ls" },
    "bash(ls)",
    { "permission": "bsh", "pattern": "ls", "action": "ask", "comment": 1 },
  ]
}
`);
    // The editor's JSON support is at work when it reports what follows the object.
    const isJson = ({ source }: vscode.Diagnostic) => source !== 'gatehouse';
    const probe = new vscode.WorkspaceEdit();
    probe.insert(document.uri, document.positionAt(document.getText().length), ']');
    await vscode.workspace.applyEdit(probe);
    await until('the JSON support', () => diagnostics(document).some(isJson) || undefined);
    const found = await until('the diagnostics of Gatehouse', () => {
      const own = diagnostics(document).filter((each) => !isJson(each));
      return own.length >= 6 ? own : undefined;
    });
    assert.deepEqual(
      found.map(({ range }) => document.getText(range)),
      ['5', '"permit"', '{ "pattern": "ls" }', '"bash(ls)"', '"comment"', '"bsh"'],
    );
    assert.deepEqual(
      diagnostics(document)
        .filter(isJson)
        .map(({ range }) => document.getText(range)),
      [']'],
    );
  });

  test('values come from the server, names and snippets from the schema, each once', async () => {
    const document = await open(
      '{"gatehouse.permissions": [{"permission": "", "pattern": "ls", "action": "", "": 1}, ]}',
    );
    const permissions = await until('the permissions', async () => {
      const labels = await complete(document, '"permission": ""', 15);
      return labels.includes('web_fetch') ? labels : undefined;
    });
    assert.equal(permissions.filter((label) => label === 'bash').length, 1);
    const actions = await complete(document, '"action": ""', 11);
    assert.deepEqual(
      actions.filter((label) => /allow/.test(label)),
      ['allow'],
    );
    const names = await until('the names', async () => {
      const labels = await complete(document, '"": 1', 1);
      return labels.includes('added_at') ? labels : undefined;
    });
    assert.equal(names.filter((label) => label === 'added_at').length, 1);
    await until('the snippets', async () => {
      const labels = await complete(document, ', ]', 2);
      return labels.includes('rule: deny a file') || undefined;
    });
  });

  test('a hover says what a rule matches, and a quick fix repairs it', async () => {
    const document = await open(
      '{"gatehouse.permissions": [{"permission": "bsh", "pattern": "git log", "action": "allow"}]}',
    );
    const [fault] = await until('the diagnostic', () => {
      const found = diagnostics(document);
      return found.length === 1 ? found : undefined;
    });
    assert.match(fault?.message ?? '', /Did you mean "bash"/);
    const fix = await until('the fix', async () => {
      const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
        'vscode.executeCodeActionProvider',
        document.uri,
        fault?.range,
      );
      return actions.find(({ title, edit }) => edit && title === 'Replace with "bash"');
    });
    assert.ok(fix.edit);
    await vscode.workspace.applyEdit(fix.edit);
    await until('no diagnostics', () => diagnostics(document).length === 0 || undefined);
    const position = document.positionAt(document.getText().indexOf('git log'));
    await until('the hover', async () => {
      const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
        'vscode.executeHoverProvider',
        document.uri,
        position,
      );
      const words = hovers.flatMap(({ contents }) =>
        contents.map((each) => (typeof each === 'string' ? each : each.value)),
      );
      return (
        words.some((each) => each.replaceAll('&nbsp;', ' ').includes('Program `git`')) || undefined
      );
    });
  });

  test('a rule that the user settings overrule says so, and its hover names them', async () => {
    const settings = vscode.workspace.getConfiguration('gatehouse');
    const rule = { permission: 'bash', pattern: 'overruled *', action: 'deny' };
    await settings.update('permissions', [rule], vscode.ConfigurationTarget.Global);
    try {
      const text = '"overruled *"';
      const document = await open(
        `{ "gatehouse.permissions": [{ "permission": "bash", "pattern": ${text}, "action": "allow" }] }`,
      );
      const found = await until('the diagnostic', () =>
        diagnostics(document).find(({ source }) => source === 'gatehouse'),
      );
      assert.match(found.message, /no effect: a rule in the user settings decides "deny"/);
      const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
        'vscode.executeHoverProvider',
        document.uri,
        document.positionAt(document.getText().indexOf(text) + 2),
      );
      const shown = hovers.flatMap(({ contents }) => contents.map((each) => Object(each).value));
      assert.match(shown.join(), /`deny bash overruled \*` \(the user settings\)/);
    } finally {
      await settings.update('permissions', undefined, vscode.ConfigurationTarget.Global);
    }
  });
});
