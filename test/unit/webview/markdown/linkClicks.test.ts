import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followsLink } from '../../../../src/webview/markdown/linkClicks.ts';

test('a link follows the main and the middle button, not the one that opens a menu', () => {
  assert.deepEqual(
    [
      followsLink({ type: 'click', button: 0 }),
      followsLink({ type: 'auxclick', button: 1 }),
      followsLink({ type: 'auxclick', button: 2 }),
    ],
    [true, true, false],
  );
});
