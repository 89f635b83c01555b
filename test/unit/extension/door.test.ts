import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets } from '../../../src/extension/setup/secrets.ts';
import { chatHtml } from '../../../src/extension/views/chatHtml.ts';
import { allowedLink } from '../../../src/extension/views/links.ts';
import { parseMessage } from '../../../src/extension/views/parseMessage.ts';

test('messages of the chat are read with their fields', () => {
  const session = 'chat-1';
  const messages = [
    { type: 'ready' },
    { type: 'send', session, text: 'hi' },
    {
      type: 'answer',
      session,
      askId: 'a',
      answer: { kind: 'option', optionId: 'o', reason: 'no' },
    },
    {
      type: 'answer',
      session,
      askId: 'a',
      answer: { kind: 'form', content: { a: 'x', b: ['y'] } },
    },
    { type: 'showDiff', session, itemId: 'c', index: 0 },
    { type: 'openLocation', session, path: '/a', line: 3 },
    { type: 'run', session, command: 'showLog' },
  ];
  for (const message of messages) assert.deepEqual(parseMessage(message), message);
});

check('a message that is none', 'send');
check('a kind that does not exist (WE-032)', { type: 'add-rule', rule: { permission: '*' } });
check('a message that names no session', { type: 'send', session: undefined, text: 'hi' });
check('a session of the wrong kind', { type: 'stop', session: 1 });
check('a missing field', { type: 'send' });
check('a field of the wrong kind', { type: 'send', text: 1 });
check('a command that is not offered', { type: 'run', command: 'workbench.action.terminal.new' });
check('an answer of no kind', { type: 'answer', askId: 'a', answer: { kind: 'allow' } });

function check(name: string, message: unknown) {
  const sent = typeof message === 'object' ? { session: 'chat-1', ...message } : message;
  test(`${name} is ignored`, () => assert.equal(parseMessage(sent), undefined));
}

test('only http, https and mailto links may leave the chat (WE-023)', () => {
  assert.equal(allowedLink('https://good.example/a'), 'https://good.example/a');
  assert.equal(allowedLink('mailto:a@b.example'), 'mailto:a@b.example');
  const refused = [
    'vscode://evil.ext/run',
    'file:///etc/passwd',
    'command:gatehouse.stop',
    'javascript:alert(1)',
  ];
  for (const href of [...refused, 'data:text/html,x', 'JaVaScRiPt:x', '/relative', '']) {
    assert.equal(allowedLink(href), undefined, href);
  }
});

test('the page may load our own script, styles and font, and nothing else (WE-035)', () => {
  const html = chatHtml({
    cspSource: 'https://*.example.test',
    nonce: 'N0nce',
    script: 'https://x.example.test/webview.js',
    style: 'https://x.example.test/webview.css',
    language: 'en',
    title: '"><script>',
  });
  const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html) ?? [];
  assert.deepEqual(policy.replaceAll('&#39;', "'").split('; '), [
    "default-src 'none'",
    "script-src 'nonce-N0nce'",
    'style-src https://*.example.test',
    'font-src https://*.example.test',
    'img-src https://*.example.test data:',
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ]);
  assert.equal(html.match(/<script/g)?.length, 1);
});

test('the host gets only secrets of the kinds it may ask for', async () => {
  const stored = new Map([
    ['gatehouse/model/openai-compatible', 'key'],
    ['gatehouse/x', 'other'],
  ]);
  const secrets = createSecrets({
    get: async (id) => stored.get(id),
    store: async (id, value) => void stored.set(id, value),
    delete: async (id) => void stored.delete(id),
  });
  assert.equal(await secrets.get('model/openai-compatible'), 'key');
  for (const id of ['x', '../x', 'model/', 'model/a b'])
    assert.equal(await secrets.get(id), undefined);
});
