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

test('a clock that is set back does not block quick picks for longer than a second', () => {
  const { watch, clock } = watchTyping();
  clock.tick(60_000);
  watch.typed();
  clock.now = () => 0;
  assert.equal(watch.restLeft, REST);
});

function watchTyping() {
  const clock = new FakeClock();
  const document = new Emitter<unknown>();
  const selection = new Emitter<unknown>();
  const events = {
    onDidChangeTextDocument: document.event,
    onDidChangeTextEditorSelection: selection.event,
    isActiveDocument: (each: unknown) => each === 'active',
  };
  return { clock, document, watch: new TypingWatch(events as never, clock) };
}
