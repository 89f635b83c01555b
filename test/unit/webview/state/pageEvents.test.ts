import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageEvents } from '../../../../src/webview/state/pageEvents.ts';

const say = (events: PageEvents, type: string, detail: string) =>
  events.dispatchEvent(new CustomEvent(type, { detail }));

test('an event that comes before its view waits for it, in order and once', () => {
  const events = new PageEvents(['text']);
  const heard: string[] = [];
  const listen = (event: Event) => {
    if (event instanceof CustomEvent) heard.push(event.detail);
  };
  say(events, 'text', 'one');
  say(events, 'text', 'two');
  say(events, 'found', 'stale');
  events.addEventListener('found', listen);
  assert.deepEqual(heard, []);
  events.addEventListener('text', listen);
  assert.deepEqual(heard, ['one', 'two']);
  say(events, 'text', 'three');
  events.removeEventListener('text', listen);
  say(events, 'text', 'four');
  events.addEventListener('text', listen);
  assert.deepEqual(heard, ['one', 'two', 'three', 'four']);
});
