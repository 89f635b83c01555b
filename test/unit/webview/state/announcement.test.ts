import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toAnnouncement } from '../../../../src/webview/state/announcement.ts';

test('a text is another one than that before it, however often it is said', () => {
  let shown = '';
  for (let time = 0; time < 3; time++) {
    const next = toAnnouncement('Change kept, 0 left in this file', shown);
    assert.notEqual(next, shown);
    assert.equal(next.trim(), 'Change kept, 0 left in this file');
    shown = next;
  }
});
