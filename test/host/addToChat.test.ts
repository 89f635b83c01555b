import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { type AddParts, createAddActions } from '../../src/extension/context/addToChat.ts';
import { TerminalOutput } from '../../src/extension/context/terminalOutput.ts';
import { until } from '../workbench/processes.ts';

interface Added {
  readonly labels: readonly string[];
  readonly text: string | undefined;
}

suite('what the editor adds to the chat', () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const file = vscode.Uri.file(path.join(folder, 'src/sum.js'));
  const other = vscode.Uri.file(path.join(folder, 'test/sum.test.js'));
  const added: Added[] = [];
  const uris: string[][] = [];
  const started = new vscode.EventEmitter<vscode.TerminalShellExecutionStartEvent>();
  const ended = new vscode.EventEmitter<vscode.TerminalShellExecutionEndEvent>();
  const terminal = new TerminalOutput({
    onDidStartTerminalShellExecution: started.event,
    onDidEndTerminalShellExecution: ended.event,
  });
  const actions = createAddActions({
    attaching: {
      add: async (_: unknown, candidates: readonly { label: string }[], text?: string) =>
        added.push({ labels: candidates.map(({ label }) => label), text }),
      addUris: async (_: unknown, given: readonly vscode.Uri[]) =>
        uris.push(given.map((uri) => path.basename(uri.fsPath))),
    },
    terminal,
    t: (text: string) => text,
    openChat: async () => ({}),
  } as unknown as AddParts);

  setup(() => {
    added.length = 0;
    uris.length = 0;
  });

  suiteTeardown(async () => {
    terminal.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  async function select(from: number, to: number): Promise<void> {
    const editor = await vscode.window.showTextDocument(file);
    editor.selection = new vscode.Selection(from, 0, to, 1);
    await until('the editor', () => vscode.window.activeTextEditor === editor || undefined);
  }

  test('the selected lines of an editor, else its file', async () => {
    await select(1, 3);
    await actions.addToChat();
    await actions.addToChat(file);
    assert.deepEqual(
      added.map(({ labels, text }) => [...labels, text]),
      [
        ['sum.js:2–4', undefined],
        ['sum.js:2–4', undefined],
      ],
    );
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await actions.addToChat();
    assert.match(added.at(-1)?.labels.join() ?? '', /^sum\.js$/);
  });

  test('the files that the explorer and source control pass', async () => {
    await actions.addToChat(other, [file, other]);
    await actions.addToChat({ resourceUri: other });
    await actions.addToChat({ resourceUri: file }, { resourceUri: other });
    await actions.addToChat({ resourceStates: [{ resourceUri: other }, { resourceUri: file }] });
    // Also of the file whose editor has a selection.
    await select(1, 3);
    await actions.addToChat(file, [file]);
    await actions.addToChat({ resourceUri: file });
    assert.deepEqual(uris, [
      ['sum.js', 'sum.test.js'],
      ['sum.test.js'],
      ['sum.js', 'sum.test.js'],
      ['sum.test.js', 'sum.js'],
      ['sum.js'],
      ['sum.js'],
    ]);
    assert.deepEqual(added, []);
  });

  test('the last command of the terminal, to be explained or as it is', async () => {
    await actions.explainLastCommand();
    assert.deepEqual(added, [], 'no command has run yet');
    const execution = {
      commandLine: { value: 'npm test' },
      async *read() {
        yield '1 failed\r\n';
      },
    };
    started.fire({ execution } as unknown as vscode.TerminalShellExecutionStartEvent);
    ended.fire({ execution, exitCode: 1 } as unknown as vscode.TerminalShellExecutionEndEvent);
    await until('the output', () => terminal.describe().includes('1 failed') || undefined);
    assert.equal(terminal.describe(), '$ npm test\n1 failed\n[exit code 1]');
    await actions.explainLastCommand();
    await actions.addTerminalToChat();
    assert.deepEqual(added, [
      { labels: ['Terminal output'], text: 'Explain what this command did and why.' },
      { labels: ['Terminal output'], text: undefined },
    ]);
  });

  test('problems have Fix and Explain, unless the setting turns them off', async () => {
    const problems = vscode.languages.createDiagnosticCollection('add-to-chat');
    const range = new vscode.Range(1, 0, 2, 5);
    problems.set(file, [new vscode.Diagnostic(range, 'The sum is wrong.')]);
    await vscode.extensions.getExtension('gatehouse.gatehouse')?.activate();
    await vscode.commands.executeCommand('gatehouse.openChat');
    const read = async () =>
      (
        await vscode.commands.executeCommand<vscode.CodeAction[]>(
          'vscode.executeCodeActionProvider',
          file,
          range,
        )
      ).filter(({ title }) => title.endsWith('with Gatehouse'));
    const offered = await until('the actions', async () => {
      const found = await read();
      return found.length > 0 ? found : undefined;
    });
    assert.deepEqual(
      offered.map(({ title, command }) => [title, command?.command]),
      [
        ['Fix with Gatehouse', 'gatehouse.fixProblem'],
        ['Explain with Gatehouse', 'gatehouse.explainProblem'],
      ],
    );
    const [target] = offered[0]?.command?.arguments ?? [];
    await actions.fixProblem(target);
    await actions.explainProblem(target);
    assert.deepEqual(added, [
      { labels: ['sum.js:2–3', 'Problems'], text: 'Fix these problems.' },
      { labels: ['sum.js:2–3', 'Problems'], text: 'Explain these problems.' },
    ]);
    const settings = vscode.workspace.getConfiguration('gatehouse');
    await settings.update('codeActions', false, vscode.ConfigurationTarget.Global);
    await until('no actions', async () => (await read()).length === 0 || undefined);
    await settings.update('codeActions', undefined, vscode.ConfigurationTarget.Global);
    problems.dispose();
  });
});
