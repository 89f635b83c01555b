import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { until } from '../workbench/processes.ts';
import { languageServersBelow } from './hosts.ts';

suite('manifests', () => {
  const [root] = vscode.workspace.workspaceFolders ?? [];
  let folder = '';
  let round = 0;

  setup(() => {
    // VS Code keeps documents for a while, so each test uses a separate file.
    round += 1;
    folder = path.join(root?.uri.fsPath ?? '', `declared-${round}`);
    mkdirSync(path.join(folder, 'tools', 'bin'), { recursive: true });
    writeFileSync(path.join(folder, 'tools', 'bin', 'clock'), '#!/bin/sh\n', { mode: 0o755 });
  });
  teardown(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function open(text: string): Promise<vscode.TextDocument> {
    const file = path.join(folder, 'tools.json');
    writeFileSync(file, text);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
    await vscode.window.showTextDocument(document);
    return document;
  }

  const said = ({ uri }: vscode.TextDocument) =>
    vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'gatehouse');

  async function write(document: vscode.TextDocument, text: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    const whole = new vscode.Range(
      document.positionAt(0),
      document.positionAt(document.getText().length),
    );
    edit.replace(document.uri, whole, text);
    await vscode.workspace.applyEdit(edit);
  }

  test('a diagnostic has its exact position and text, and a quick fix resolves it while typing', async () => {
    const document = await open(
      '{\n  "tools": [\n    {"name": "clock", "command": ["bin/clock"]}\n  ]\n}\n',
    );
    const [fault] = await until('diagnostics', () =>
      said(document).length > 0 ? said(document) : undefined,
    );
    assert.ok(fault);
    assert.equal(
      fault.message,
      'tool[0] "clock": relative command[0] must start with ./tools/bin/',
    );
    assert.deepEqual([fault.range.start.line, document.getText(fault.range)], [2, '"bin/clock"']);
    assert.equal(languageServersBelow(process.pid).length, 1);
    const fix = await until('the fix', async () => {
      const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
        'vscode.executeCodeActionProvider',
        document.uri,
        fault.range,
      );
      return actions.find(({ title, edit }) => edit && title.startsWith('Use ./tools/bin/'));
    });
    assert.ok(fix.edit);
    await vscode.workspace.applyEdit(fix.edit);
    await until('no diagnostics', () => said(document).length === 0 || undefined);
    assert.match(document.getText(), /\["\.\/tools\/bin\/clock"\]/);
    assert.match(document.getText(), /\n {4}\{"name"/, 'the formatting is kept');
  });

  test('names come from the schema and values from the server, each once', async () => {
    const document = await open('{"tools": [{"name": "clock", "command": [""], "": 1}]}');
    await until('the server', () => said(document).length > 0 || undefined);
    const at = async (text: string, inside: number) => {
      const position = document.positionAt(document.getText().indexOf(text) + inside);
      const list = await vscode.commands.executeCommand<vscode.CompletionList>(
        'vscode.executeCompletionItemProvider',
        document.uri,
        position,
      );
      return list.items.map(({ label }) => (typeof label === 'string' ? label : label.label));
    };
    const programs = await at('[""]', 2);
    assert.ok(programs.includes('./tools/bin/clock'), programs.join());
    // VS Code's JSON server provides the schema's names and may be slower than Gatehouse's server.
    const names = await until('the names', async () => {
      const found = await at('"": 1', 1);
      return found.includes('timeoutSec') ? found : undefined;
    });
    assert.equal(names.filter((name) => name === 'timeoutSec').length, 1, names.join());
  });

  test('a hover says what a field means', async () => {
    const document = await open(
      '{"tools": [{"name": "clock", "command": ["./tools/bin/clock"], "timeoutSec": 5}]}',
    );
    const position = document.positionAt(document.getText().indexOf('timeoutSec') + 2);
    const text = await until('the hover', async () => {
      const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
        'vscode.executeHoverProvider',
        document.uri,
        position,
      );
      const words = hovers.flatMap(({ contents }) =>
        contents.map((each) => (typeof each === 'string' ? each : each.value)),
      );
      return words.length > 0 ? words.join('\n') : undefined;
    });
    // Older releases keep words together.
    assert.match(text.replaceAll('&nbsp;', ' '), /seconds for one call/);
  });

  test('every tool entry has a code lens to try it and a link to its program', async () => {
    const document = await open('{"tools": [{"name": "clock", "command": ["./tools/bin/clock"]}]}');
    const lenses = await until('the lens', async () => {
      const found = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        document.uri,
        10,
      );
      const ours = found.filter(({ command }) => command?.command.startsWith('gatehouse.'));
      return ours.length > 0 ? ours : undefined;
    });
    assert.deepEqual(
      lenses.map(({ command }) => command?.command),
      ['gatehouse.tryTool'],
    );
    const position = document.positionAt(document.getText().indexOf('bin/clock'));
    const program = path.join(folder, 'tools', 'bin', 'clock');
    await until('the way to the program', async () => {
      const found = await vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[]>(
        'vscode.executeDefinitionProvider',
        document.uri,
        position,
      );
      const uris = found.map((each) => ('targetUri' in each ? each.targetUri : each.uri));
      return uris.some(({ fsPath }) => fsPath === program);
    });
  });

  test('a syntax error is shown until it is fixed', async () => {
    const document = await open('{"tools": [');
    await until('diagnostics', () => (said(document).length > 0 ? true : undefined));
    await write(document, '{"tools": []}');
    await until('no diagnostics', () => said(document).length === 0 || undefined);
  });

  test('a rule that cannot be read is shown in the settings file that holds it', async () => {
    const file = path.join(folder, '.vscode', 'settings.json');
    mkdirSync(path.dirname(file));
    writeFileSync(file, '{\n  // Mine.\n  "gatehouse.permissions": [{"permission": "bash"}]\n}\n');
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
    await vscode.window.showTextDocument(document);
    const [fault] = await until('diagnostics', () =>
      said(document).length > 0 ? said(document) : undefined,
    );
    assert.equal(fault?.range.start.line, 2);
    await write(document, '{"gatehouse.permissions": []}\n');
    await until('no diagnostics', () => said(document).length === 0 || undefined);
  });
});
