import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promptFailed } from '../../../../src/extension/chat/errorCard.ts';

check('no key', { kind: 'no-key' }, 'setApiKey');
check('a refused key', { kind: 'unauthorized', status: 401, retryable: true }, 'setApiKey');
check('no model', { kind: 'no-model' }, 'setModel');
check('an unknown model', { kind: 'other', status: 404, retryable: false }, 'setModel');
check('a folder that is not trusted', { kind: 'untrusted' }, 'manageTrust');
check('a full context', { kind: 'context-length', retryable: false }, 'newSession');
check('an endpoint that is offline', { kind: 'unreachable', retryable: true }, undefined);
check('a rate limit', { kind: 'rate-limited', status: 429, retryable: true }, undefined);
check('a failed endpoint', { kind: 'server-error', status: 500, retryable: true }, undefined);

test('a message that is too large offers no retry', () => {
  const data = { kind: 'too-large', retryable: false };
  const error = Object.assign(new Error('The message is larger than 16 MB.'), { data });
  assert.equal(promptFailed(error, 'e').retry, false);
});

function check(name: string, data: object, helps: string | undefined): void {
  test(`${name} is mended by ${helps ?? 'a retry'}`, () => {
    const card = promptFailed(Object.assign(new Error('no'), { data }), 'e');
    assert.equal(card.helps, helps);
    assert.ok(helps === undefined ? card.retry : card.commands.some((each) => each === helps));
  });
}
