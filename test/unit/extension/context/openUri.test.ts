import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followLink, parseOpenUri } from '../../../../src/extension/context/openUri.ts';

test('a link fills the message and names the session', () => {
  assert.deepEqual(parseOpenUri('/open', 'prompt=Fix%20a.ts%26b.ts&session=s1'), {
    ...{ prompt: 'Fix a.ts&b.ts', session: 's1' },
  });
  assert.deepEqual(parseOpenUri('/open', ''), { prompt: '' });
});

test('blank lines of a link do not move its end out of view', () => {
  const text = `Fix it.${'\n'.repeat(300)}Then${' \t\r\n'.repeat(300)}push.`;
  assert.equal(
    parseOpenUri('/open', `prompt=${encodeURIComponent(text)}`)?.prompt,
    'Fix it.\n\nThen\n\npush.',
  );
});

test('a link to a session that is not there shows a notice and leaves the chat alone', async () => {
  const done: string[] = [];
  const composing = (name: string) => ({
    focus: async () => done.push(`focus ${name}`),
    addToMessage: (_: unknown, text = '') => done.push(`${name}: ${text}`),
  });
  const follow = (session: string) =>
    followLink(
      { prompt: 'Hi', session },
      {
        views: {
          current: composing('current'),
          open: async (id) => composing(id),
        },
        isKnown: async (id) => id === 's1',
        tell: () => done.push('notice'),
      },
    );
  await follow('s2');
  assert.deepEqual(done.splice(0), ['notice']);
  await follow('s1');
  assert.deepEqual(done, ['focus s1', 's1: Hi']);
});

test('other paths are ignored', () => assert.equal(parseOpenUri('/send', 'prompt=x'), undefined));

test('what a link hides is shown, and its message is short enough to read', () => {
  const prompt = parseOpenUri('/open', `prompt=${encodeURIComponent('a\u202eb\u200bc')}`)?.prompt;
  assert.ok(!/[\u202e\u200b]/.test(prompt ?? ''), prompt);
  assert.equal(parseOpenUri('/open', `prompt=${'x'.repeat(20_000)}`)?.prompt.length, 10_000);
});
