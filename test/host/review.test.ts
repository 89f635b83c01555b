import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Gatehouse } from '../../src/extension/gatehouse.ts';
import type { ConnectedReviews } from '../../src/extension/review/connectReviews.ts';
import type { ProposedFile } from '../../src/extension/review/proposal/proposedFile.ts';
import { until } from '../workbench/processes.ts';

suite('reviews', () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const file = path.join(folder, 'src/sum.js');
  const before = readFileSync(file, 'utf8');
  const proposed = before
    .replace('let total = 1;', 'let total = 0;')
    .replace('return total;', 'return +total;');
  let review: ConnectedReviews;
  let calls = 0;

  suiteSetup(async () => {
    const extension = vscode.extensions.getExtension<Gatehouse>('gatehouse.gatehouse');
    assert.ok(extension);
    ({ review } = await extension.activate());
    // The web's default saves the files that these tests keep dirty.
    await vscode.workspace.getConfiguration('files').update('autoSave', 'off', true);
  });

  suiteTeardown(() =>
    vscode.workspace.getConfiguration('files').update('autoSave', undefined, true),
  );

  teardown(async () => {
    for (const { id } of review.reviews.pending) await review.reviews.finish(id, 'rejected');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  /** Proposes and opens a change, with the cursor on its first hunk. */
  async function open(newText = proposed, oldText: string | null = before, at = file) {
    calls += 1;
    const id = `ask-${calls}`;
    const call = { sessionId: 'session-1', toolCallId: `call-${calls}` };
    const meta = { gatehouse: { beforeHash: '0' } };
    await review.reviews.add(id, call, [{ type: 'diff', path: at, oldText, newText, _meta: meta }]);
    assert.equal(await review.reviews.open(id, true), true);
    const found = review.reviews.get(id);
    assert.ok(found);
    const [first] = found.files;
    assert.ok(first);
    await until('the review editor', () => review.active() === found || undefined);
    await until('the current file', () => !first.stale || undefined);
    // VS Code puts the cursor on the first change as soon as it has compared the texts.
    await until('the cursor', () => {
      const line = rightEditor(first)?.selection.active.line ?? -1;
      return line + 1 === first.hunks[0]?.newLine || undefined;
    });
    return { found, first };
  }

  test('a proposal opens as a diff of two documents with the path of the file, which is not touched', async () => {
    const { first } = await open();
    const { input, isPreview } = await until('the diff tab', () => diffTabs()[0]);
    assert.ok(input instanceof vscode.TabInputTextDiff);
    assert.deepEqual(
      [input.original.scheme, input.modified.scheme, input.original.path, input.modified.path],
      ['gatehouse-review', 'gatehouse-review', file, file],
    );
    assert.equal(isPreview, false);
    assert.equal(rightEditor(first)?.document.getText(), proposed);
    assert.equal(readFileSync(file, 'utf8'), before);
  });

  test('the left side is read-only and follows the text of the document, with unsaved changes', async () => {
    const document = await vscode.workspace.openTextDocument(file);
    const { found, first } = await open();
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), '// typed\n');
    await vscode.workspace.applyEdit(edit);
    const left = await until('the left side', () => leftDocument(first.change.call.toolCallId));
    await until('the typed text', () => left.getText().startsWith('// typed\n') || undefined);
    assert.equal(document.isDirty, true);
    assert.equal(readFileSync(file, 'utf8'), before);
    await assert.rejects(
      Promise.resolve(vscode.workspace.fs.writeFile(left.uri, Buffer.from('x'))),
    );
    assert.equal(found.files[0]?.stale, true);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await until('the file as it was', () => document.getText() === before || undefined);
  });

  test('keep and reject decide hunk by hunk, and the reply has what is left', async () => {
    const { found, first } = await open();
    await vscode.commands.executeCommand('gatehouse.keepChange');
    await vscode.commands.executeCommand('gatehouse.rejectChange');
    assert.deepEqual(
      first.hunks.map(({ state }) => state),
      ['kept', 'rejected'],
    );
    const { approved } = await review.reviews.finish(found.id, 'approved');
    assert.deepEqual(approved, [
      { path: file, text: before.replace('let total = 1;', 'let total = 0;') },
    ]);
  });

  test('undo makes the last decision pending again, one by one', async () => {
    const { first } = await open();
    await vscode.commands.executeCommand('gatehouse.keepChange');
    await vscode.commands.executeCommand('gatehouse.rejectChange');
    const states = () => first.hunks.map(({ state }) => state);
    await vscode.commands.executeCommand('gatehouse.undoChangeDecision');
    assert.deepEqual(states(), ['kept', 'pending']);
    await vscode.commands.executeCommand('gatehouse.undoChangeDecision');
    assert.deepEqual(states(), ['pending', 'pending']);
    assert.equal(first.text, proposed);
  });

  test('typed text is in the reply, and the document becomes clean by itself', async () => {
    const { found, first } = await open();
    const editor = rightEditor(first);
    assert.ok(editor);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), '// mine  \n'));
    await until('the saved proposal', () => !editor.document.isDirty || undefined);
    assert.equal(first.text, `// mine  \n${proposed}`, 'spaces at line ends stay');
    const { approved } = await review.reviews.finish(found.id, 'approved');
    assert.deepEqual(approved, [{ path: file, text: `// mine  \n${proposed}` }]);
  });

  test('only the selected lines are rejected', async () => {
    const added = 'a();\nb();\nc();\n';
    const { first } = await open(before + added);
    const editor = rightEditor(first);
    assert.ok(editor);
    const line = before.split('\n').length;
    editor.selection = new vscode.Selection(line, 0, line, 3);
    await vscode.commands.executeCommand('gatehouse.rejectSelectedLines');
    assert.equal(first.text, `${before}a();\nc();\n`);
  });

  test('a proposal of several files opens as one multi-file diff', async () => {
    calls += 1;
    const call = { sessionId: 'session-1', toolCallId: `call-${calls}` };
    const meta = { gatehouse: { beforeHash: '0' } };
    const added = path.join(folder, 'src/added.js');
    await review.reviews.add(`ask-${calls}`, call, [
      { type: 'diff', path: file, oldText: before, newText: proposed, _meta: meta },
      { type: 'diff', path: added, oldText: null, newText: 'let added;\n', _meta: meta },
    ]);
    await review.reviews.open(`ask-${calls}`, true);
    const tab = await until('the tab', () => vscode.window.tabGroups.activeTabGroup.activeTab);
    assert.match(tab.label, /^Review: \S+, … \(2 files\)$/);
    await review.reviews.finish(`ask-${calls}`, 'rejected');
    await until('the end of the tab', () => allTabs().length === 0 || undefined);
  });

  test('a rejected proposal closes its tab, and a call without a diff has no review', async () => {
    const { found } = await open();
    await review.reviews.finish(found.id, 'rejected');
    await until('the end of the tab', () => diffTabs().length === 0 || undefined);
    const call = { sessionId: 'session-1', toolCallId: 'call-none' };
    assert.equal(await review.reviews.add('none', call, []), undefined);
    assert.equal(await review.reviews.open('none', true), false);
  });

  test('an applied proposal becomes the file at that place', async () => {
    const { found, first } = await open();
    await review.reviews.finish(found.id, 'approved');
    await review.reviews.callEnded(first.change.call, true);
    await until('the file', () => {
      const [tab] = allTabs();
      return (
        (tab?.input instanceof vscode.TabInputText && tab.input.uri.fsPath === file) || undefined
      );
    });
    assert.equal(diffTabs().length, 0);
  });
});

function rightEditor({ change }: ProposedFile): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find(
    ({ document: { uri } }) =>
      uri.scheme === 'gatehouse-review' &&
      uri.query.includes('side=proposed') &&
      uri.query.includes(change.call.toolCallId),
  );
}

/** Documents of other reviews stay open for a while after their tabs are closed. */
function leftDocument(call: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(({ uri }) => {
    const query = new URLSearchParams(uri.query);
    return query.get('side') === 'current' && query.get('call') === call;
  });
}

function allTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
}

function diffTabs(): readonly vscode.Tab[] {
  return allTabs().filter(({ input }) => input instanceof vscode.TabInputTextDiff);
}
