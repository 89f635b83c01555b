import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMessage } from '../../../../src/extension/views/parseMessage.ts';

test('messages from the chat are parsed with their fields', () => {
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
    { type: 'send', session, text: '', attached: [{ id: 'a', kind: 'file', label: 'a.ts' }] },
    { type: 'lookUp', session, query: 'app', request: 3 },
    { type: 'attach', session, id: '3', request: 'r1' },
    { type: 'attachUri', session, uri: 'file:///work/a.ts', request: 'r2' },
    {
      ...{ type: 'attachImage', session, request: 'r3', name: 'a.png' },
      ...{ mediaType: 'image/png', base64: 'AAAA' },
    },
    { type: 'stillReading', session, requests: ['r1', 'r2'] },
    { type: 'showDiff', session, itemId: 'c', index: 0 },
    { type: 'revert', session, itemId: 'c' },
    { type: 'showSubagent', session, subagent: 'ses_a' },
    { type: 'keepEntry', session, askId: 'a', entryId: '0', keep: false },
    { type: 'openLocation', session, path: '/a', line: 3 },
    { type: 'run', session, command: 'showLog' },
    { type: 'useModel', session, ref: 'ollama:qwen' },
    { type: 'useNext', session, ref: 'ollama:qwen' },
    { type: 'choose', session },
    { type: 'copyText', session, text: 'a' },
    { type: 'choose', session, id: 'approval' },
    { type: 'choose', session, id: 'thinking', on: false },
  ];
  for (const message of messages) assert.deepEqual(parseMessage(message), message);
});

check('a message that is none', 'send');

check('a kind that does not exist (WE-032)', { type: 'add-rule', rule: { permission: '*' } });

check('a message that names no session', { type: 'send', session: undefined, text: 'hi' });

check('a session of the wrong kind', { type: 'stop', session: 1 });

check('a missing field', { type: 'send' });

check('a subagent without its session', { type: 'showSubagent', itemId: 'c' });

check('a field of the wrong kind', { type: 'send', text: 1 });

check('a message with an attachment of an unknown kind', {
  ...{ type: 'send', text: 'hi' },
  attached: [{ id: 'a', kind: 'secret', label: 'a' }],
});

check('an image that is none', {
  ...{ type: 'attachImage', request: 'r', name: 'a', mediaType: 'text/html', base64: 'AAAA' },
});

check('something to attach that nothing answers', { type: 'attach', id: '3' });

check('a command that is not offered', { type: 'run', command: 'workbench.action.terminal.new' });

check('a setting that is switched to no state', { type: 'choose', id: 'thinking', on: 'yes' });

check('a switch without its setting', { type: 'choose', on: true });

check('a choice that is neither yes nor no', {
  type: 'keepEntry',
  askId: 'a',
  entryId: '0',
  keep: 1,
});

check('an answer of no kind', { type: 'answer', askId: 'a', answer: { kind: 'allow' } });

function check(name: string, message: unknown) {
  const sent = typeof message === 'object' ? { session: 'chat-1', ...message } : message;
  test(`${name} is ignored`, () => assert.equal(parseMessage(sent), undefined));
}
