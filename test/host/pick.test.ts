import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { pickWindow } from '../../src/extension/editor.ts';
import { ARM_DELAY, type SafePickResult, showSafePick } from '../../src/extension/safePick.ts';
import { pause } from '../workbench/processes.ts';

const ROWS = [
  { label: 'Allow', value: 'allow' },
  { label: 'Deny', value: 'deny' },
];

suite('the safe quick pick', () => {
  let closing = new AbortController();
  teardown(() => closing.abort());

  test('Enter accepts nothing, early or late, until a row was moved to', async () => {
    const shown = show();
    await accept();
    await pause(ARM_DELAY + 100);
    await accept();
    assert.equal(await stateOf(shown), 'open');
    await vscode.commands.executeCommand('workbench.action.quickOpenSelectNext');
    await accept();
    assert.deepEqual(await shown, { kind: 'picked', values: ['allow'] });
  });

  test('a row that was moved to too early is not accepted', async () => {
    const shown = show();
    await vscode.commands.executeCommand('workbench.action.quickOpenSelectNext');
    await accept();
    assert.equal(await stateOf(shown), 'open');
  });

  test('hiding it is no answer', async () => {
    const shown = show();
    await pause(100);
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    assert.deepEqual(await shown, { kind: 'hidden' });
  });

  function show(): Promise<SafePickResult<string>> {
    closing = new AbortController();
    const { signal } = closing;
    const texts = { title: 'May it?', placeholder: 'rm -rf build' };
    return showSafePick(pickWindow, { ...texts, rows: ROWS, signal });
  }
});

function accept(): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
}

function stateOf(shown: Promise<unknown>): Promise<unknown> {
  return Promise.race([shown, pause(300).then(() => 'open')]);
}
