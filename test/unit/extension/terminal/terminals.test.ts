import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as vscode from 'vscode';
import { FRAME } from '../../../../src/base/clock.ts';
import { Terminals } from '../../../../src/extension/terminal/terminals.ts';
import { english } from '../english.ts';
import { FakeClock } from '../fakeClock.ts';

test('a pane opens only when asked for, and then shows what was printed before', () => {
  const { terminals, panes } = panesOf();
  terminals.receive({ terminalId: 't', event: 'opened', title: 'npm test' });
  terminals.receive({ terminalId: 't', event: 'output', data: 'one\n' });
  assert.equal(panes.length, 0);
  terminals.show('t');
  assert.equal(panes[0]?.name, 'Gatehouse: npm test');
  assert.deepEqual(panes[0]?.written, ['one\r\n']);
});

test('a pane begins with the command, written so that nothing in it is hidden', () => {
  const { terminals, panes } = panesOf();
  const command = 'echo a\u001B[2K\nls';
  terminals.receive({ terminalId: 't', event: 'opened', title: 'Look', command });
  terminals.show('t');
  assert.deepEqual(panes[0]?.written, ['\u001B[2m$ echo a␣U+001B[2K\r\n  ls\u001B[0m\r\n']);
});

test('output reaches a pane at most once a frame', () => {
  const { terminals, panes, clock } = panesOf();
  terminals.receive({ terminalId: 't', event: 'opened', title: 'x' });
  terminals.show('t');
  for (const data of ['a', 'b', 'c']) terminals.receive({ terminalId: 't', event: 'output', data });
  clock.tick(FRAME);
  assert.deepEqual(panes[0]?.written.slice(1), ['abc']);
});

test('keys go to the host: lines whole, Ctrl+C as an interrupt, Ctrl+D as the end', () => {
  const { terminals, panes, sent } = panesOf();
  terminals.receive({ terminalId: 't', event: 'opened', title: 'x' });
  terminals.show('t');
  for (const keys of ['yex', '\u007F', 's', '\r', '\u0003', '\u0004']) panes[0]?.type(keys);
  assert.deepEqual(sent, [
    { terminalId: 't', data: 'yes\n' },
    { terminalId: 't', signal: 'SIGINT' },
    { terminalId: 't', signal: 'EOF' },
  ]);
});

test('the first line that is typed says once that there is no terminal', () => {
  const { terminals, panes, clock } = panesOf();
  for (const terminalId of ['t', 'u']) {
    terminals.receive({ terminalId, event: 'opened', title: 'x' });
    terminals.show(terminalId);
  }
  for (const pane of panes) {
    pane.type('a');
    pane.type('b');
  }
  clock.tick(FRAME);
  const texts = panes.map(({ written }) => written.join(''));
  assert.match(texts[0] ?? '', /not connected to a terminal.*Ctrl\+C.*Ctrl\+D.*\r\nab$/);
  assert.equal(texts[1], 'ab');
});

test('a line that the command does not take is answered in its pane', async () => {
  const { terminals, panes, clock } = panesOf('It takes no input.');
  terminals.receive({ terminalId: 't', event: 'opened', title: 'x' });
  terminals.show('t');
  panes[0]?.type('yes\r');
  await Promise.resolve().then(() => Promise.resolve());
  await new Promise(setImmediate);
  clock.tick(FRAME);
  assert.match(panes[0]?.written.join('') ?? '', /yes\r\n.*It takes no input\./);
});

test('a card stops its command, sends it to the background, and knows what it runs', () => {
  const { terminals, sent } = panesOf();
  const command = 'npm test';
  terminals.receive({ terminalId: 't', event: 'opened', title: 'x', command, cwd: '/w' });
  terminals.stop(['t']);
  terminals.background(['t']);
  assert.deepEqual(sent, [
    { terminalId: 't', signal: 'kill' },
    { terminalId: 't', background: true },
  ]);
  assert.deepEqual(terminals.command('t'), { command, cwd: '/w' });
});

test('an ended command shows how it ended and takes no more keys', () => {
  const { terminals, panes, sent } = panesOf();
  terminals.receive({ terminalId: 't', event: 'closed', exitCode: 1 });
  terminals.show('t');
  assert.match(panes[0]?.written.join('') ?? '', /exit code 1/);
  panes[0]?.type('y\r');
  assert.deepEqual(sent, []);
});

test('an unknown terminal gets an empty pane', () => {
  const { terminals, panes } = panesOf();
  terminals.show('unknown');
  assert.deepEqual(panes[0]?.written, ['']);
});

test('a flood keeps the end of the output within its bound', () => {
  const { terminals, panes } = panesOf();
  for (let piece = 0; piece < 300; piece += 1) {
    terminals.receive({ terminalId: 't', event: 'output', data: 'x'.repeat(1000) });
  }
  terminals.receive({ terminalId: 't', event: 'output', data: 'the end' });
  terminals.show('t');
  const [text = ''] = panes[0]?.written ?? [];
  assert.equal(text.length, 200_000);
  assert.match(text, /the end$/);
});

test('issue 15: a pane that the user opens has the focus, and takes what is typed', () => {
  const { terminals, panes } = panesOf();
  terminals.receive({ terminalId: 't', event: 'opened', title: 'x' });
  terminals.show('t');
  assert.deepEqual(panes[0]?.shown, [[]], 'without `preserveFocus`');
});

interface Pane {
  /** What it was shown with. */
  readonly shown: unknown[];
  readonly name: string;
  readonly written: string[];
  type(keys: string): void;
}

function panesOf(refusal?: string) {
  const clock = new FakeClock();
  const sent: unknown[] = [];
  const panes: Pane[] = [];
  const createTerminal = ({ name, pty }: vscode.ExtensionTerminalOptions) => {
    const written: string[] = [];
    const shown: unknown[] = [];
    pty.onDidWrite((text) => written.push(text));
    pty.open(undefined);
    panes.push({ name, written, shown, type: (keys) => pty.handleInput?.(keys) });
    return { show: (...how: unknown[]) => shown.push(how), dispose: () => undefined };
  };
  const terminals = new Terminals({
    window: { createTerminal } as never,
    ...{ clock, t: english },
    send: async (input) => {
      sent.push(input);
      if (refusal !== undefined) throw new Error(`Invalid params: ${refusal}`);
    },
    onInput: () => undefined,
  });
  return { terminals, panes, sent, clock };
}
