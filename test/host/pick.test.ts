import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { type SafePickResult, showSafePick } from '../../src/extension/asks/safePick.ts';
import { pickWindow } from '../../src/extension/editor.ts';
import { ARM_DELAY } from '../../src/webview/messages/asks.ts';
import { FakeClock } from '../unit/extension/fakeClock.ts';
import { pause } from '../workbench/processes.ts';

const ROWS = [
  { label: 'Allow', value: 'allow' },
  { label: 'Deny', value: 'deny' },
];

// The window is VS Code's, but the clock is fake, so that timing does not depend on the machine.
suite('the safe quick pick', () => {
  let closing = new AbortController();
  let clock = new FakeClock();
  teardown(() => closing.abort());

  test('Enter accepts nothing, early or late, until a row was moved to', async () => {
    const shown = show();
    await drawn();
    await accept();
    clock.tick(ARM_DELAY + 100);
    await accept();
    assert.equal(await readMark(shown), 'open');
    await moveOn();
    await accept();
    assert.deepEqual(await shown, { kind: 'picked', values: ['allow'] });
  });

  test('a row that was moved to too early is not accepted', async () => {
    const shown = show();
    // Once this resolves, VS Code has fired all automatic events of the quick pick.
    await drawn();
    await accept();
    clock.tick(ARM_DELAY - 100);
    await moveOn();
    await accept();
    assert.equal(await readMark(shown), 'open');
    clock.tick(ARM_DELAY);
    await accept();
    assert.deepEqual(await shown, { kind: 'picked', values: ['allow'] });
  });

  test('hiding it is no answer', async () => {
    const shown = show();
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    assert.deepEqual(await shown, { kind: 'hidden' });
  });

  for (const [kind, options, expected] of [
    ['a pick', {}, ['active', 'drawn']],
    ['a pick that replaces another', { replaces: true }, ['active', 'drawn']],
    ['a multi-select', { canSelectMany: true }, ['drawn']],
    ['a pick without rows', { items: [] }, ['drawn']],
  ] as const) {
    test(`${kind} is drawn when the window has answered`, async () => {
      if ('replaces' in options) void show();
      const pick = vscode.window.createQuickPick();
      const events: string[] = [];
      const watched = pick.onDidChangeActive(() => events.push('active'));
      pick.canSelectMany = 'canSelectMany' in options;
      pick.items = 'items' in options ? [] : ROWS;
      pick.activeItems = [];
      pick.show();
      await drawn();
      events.push('drawn');
      await pause(200);
      watched.dispose();
      pick.dispose();
      assert.deepEqual(events, expected);
    });
  }

  function show(): Promise<SafePickResult<string>> {
    closing = new AbortController();
    clock = new FakeClock();
    const { signal } = closing;
    const texts = { title: 'May it?', placeholder: 'rm -rf build' };
    const window = { ...pickWindow, clock };
    return showSafePick(window, { ...texts, rows: ROWS, openedBy: 'user', signal });
  }
});

function drawn(): Promise<void> {
  return new Promise((resolve) => pickWindow.whenDrawn(resolve));
}

function accept(): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
}

function moveOn(): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.quickOpenSelectNext');
}

/** VS Code fires events before the command that caused them resolves. */
function readMark(shown: Promise<unknown>): Promise<unknown> {
  return Promise.race([shown, pause(100).then(() => 'open')]);
}
