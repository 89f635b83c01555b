import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { systemClock } from '../../src/base/clock.ts';
import { translate as t } from '../../src/extension/editor.ts';
import { Terminals } from '../../src/extension/terminal/terminals.ts';
import { until } from '../workbench/processes.ts';

suite('terminals', () => {
  const sent: unknown[] = [];
  const terminals = new Terminals({
    window: vscode.window,
    clock: systemClock,
    t,
    send: async (input) => sent.push(input),
    onInput: () => undefined,
  });
  suiteTeardown(() => terminals.dispose());

  test('no pane opens by itself', () => {
    terminals.receive({ terminalId: 't1', event: 'opened', title: 'npm test' });
    terminals.receive({ terminalId: 't1', event: 'output', data: 'running\n' });
    assert.equal(panes().length, 0);
  });

  test('a pane shows the command when it is asked for, and sends what is typed', async () => {
    terminals.show('t1');
    const pane = await until('the pane', () => panes()[0]);
    assert.match(pane.name, /npm test/);
    await pane.show();
    await until('the input', () => {
      if (sent.length === 0) pane.sendText('yes');
      return sent.length > 0 || undefined;
    });
    assert.deepEqual(sent[0], { terminalId: 't1', data: 'yes\n' });
  });

  test('the pane can be closed by the user, and opened again', async () => {
    panes()[0]?.dispose();
    await until('the end of the pane', () => panes().length === 0 || undefined);
    terminals.show('t1');
    await until('the pane', () => panes()[0]);
  });
});

function panes(): readonly vscode.Terminal[] {
  return vscode.window.terminals.filter(({ name }) => name.startsWith('Gatehouse:'));
}
