import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOpenUri } from '../../../../src/extension/context/openUri.ts';

test('a link fills the message and names the session', () => {
  assert.deepEqual(parseOpenUri('/open', 'prompt=Fix%20a.ts%26b.ts&session=s1'), {
    ...{ prompt: 'Fix a.ts&b.ts', session: 's1' },
  });
  assert.deepEqual(parseOpenUri('/open', ''), { prompt: '' });
});

test('other paths are ignored', () => assert.equal(parseOpenUri('/send', 'prompt=x'), undefined));

test('what a link hides is shown, and its message is short enough to read', () => {
  const prompt = parseOpenUri('/open', `prompt=${encodeURIComponent('a\u202eb\u200bc')}`)?.prompt;
  assert.ok(!/[\u202e\u200b]/.test(prompt ?? ''), prompt);
  assert.equal(parseOpenUri('/open', `prompt=${'x'.repeat(20_000)}`)?.prompt.length, 10_000);
});
