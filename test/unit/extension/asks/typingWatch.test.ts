import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Emitter } from '../../../../src/base/event.ts';
import { REST, TypingWatch } from '../../../../src/extension/asks/typingWatch.ts';
import { FakeClock } from '../fakeClock.ts';

test('a quick pick can open one second after the last key', () => {
  const { watch, clock, document } = watchTyping();
  assert.equal(watch.restLeft, 0);
  document.fire({ document: 'active', contentChanges: [{}] });
  assert.equal(watch.restLeft, REST);
  clock.tick(REST);
  assert.equal(watch.restLeft, 0);
});

test('edits that the user does not type do not count', () => {
  const { watch, document } = watchTyping();
  document.fire({ document: 'other', contentChanges: [{}] });
  document.fire({ document: 'active', contentChanges: [] });
  assert.equal(watch.restLeft, 0);
});

test('terminal use blocks quick picks until an editor or the chat has focus', () => {
  const { watch, terminal, editor } = watchTyping();
  terminal.fire({});
  assert.equal(watch.inTerminal, true);
  editor.fire(undefined);
  assert.equal(watch.inTerminal, true);
  editor.fire({});
  assert.equal(watch.inTerminal, false);
  terminal.fire({});
  watch.typed();
  assert.equal(watch.inTerminal, false);
});

function watchTyping() {
  const clock = new FakeClock();
  const document = new Emitter<unknown>();
  const selection = new Emitter<unknown>();
  const editor = new Emitter<unknown>();
  const terminal = new Emitter<unknown>();
  const events = {
    onDidChangeTextDocument: document.event,
    onDidChangeTextEditorSelection: selection.event,
    onDidChangeActiveTextEditor: editor.event,
    onDidChangeTerminalState: terminal.event,
    onDidStartTerminalShellExecution: terminal.event,
    isActiveDocument: (each: unknown) => each === 'active',
  };
  return { clock, document, editor, terminal, watch: new TypingWatch(events as never, clock) };
}
