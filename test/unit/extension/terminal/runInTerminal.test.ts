import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as vscode from 'vscode';
import { runInTerminal } from '../../../../src/extension/terminal/runInTerminal.ts';
import { english } from '../english.ts';

async function run(command: string, cwd?: string) {
  const done: unknown[] = [];
  const terminal = {
    show: () => undefined,
    sendText: (text: string, execute: boolean) => done.push([text, execute]),
  };
  const window = {
    createTerminal: (options: vscode.TerminalOptions) => {
      if (options.cwd !== undefined) done.push(options.cwd);
      return terminal as unknown as vscode.Terminal;
    },
    showInformationMessage: async (message: string) => void done.push(message),
  } as unknown as typeof vscode.window;
  const copy = async (text: string) => void done.push(`copied ${text}`);
  await runInTerminal({ window, copy, t: english }, { command, ...(cwd && { cwd }) });
  return done;
}

test('the command is typed, and not run', async () => {
  assert.deepEqual(await run(' npm test\n', '/w'), ['/w', ['npm test', false]]);
});

for (const command of ['ls\nrm -rf x', 'ls\rrm', 'echo \u0003', 'echo \u202Ea']) {
  test(`${JSON.stringify(command)} is copied, because a shell could run a part of it`, async () => {
    const [copied, message] = await run(command);
    assert.equal(copied, `copied ${command}`);
    assert.match(String(message), /copied instead of typed/);
  });
}
