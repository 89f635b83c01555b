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

check('a model that is gone', { kind: 'model-gone', retryable: true }, 'chooseModel');
check('a model that is refused', { kind: 'model-refused', retryable: true }, 'chooseModel');
check('credit that is used up', { kind: 'quota', retryable: true }, 'chooseModel');
check('a limit of costs', { kind: 'budget', retryable: true }, 'openLimits');
check('a machine without network', { kind: 'offline', retryable: true }, undefined);
check('a content filter', { kind: 'content-filter', retryable: true }, undefined);

const BUTTONS = {
  ...{ 'no-model': ['setModel'], unauthorized: ['setApiKey', 'setModel'], 'no-key': ['setApiKey'] },
  ...{ untrusted: ['manageTrust'], unreachable: ['setModel', 'showLog'] },
  ...{ 'server-error': ['showLog'], 'rate-limited': ['showLog'], other: ['showLog'] },
  ...{ 'context-length': ['newSession', 'chooseModel'], 'model-gone': ['chooseModel'] },
  ...{ 'model-refused': ['chooseModel'], 'content-filter': ['chooseModel'] },
  ...{ quota: ['chooseModel', 'setApiKey'], budget: ['openLimits'] },
  offline: ['chooseModel', 'showLog'],
};

for (const [kind, buttons] of Object.entries(BUTTONS)) {
  test(`the card of ${kind} has the buttons ${buttons.join(' and ')}`, () => {
    const error = Object.assign(new Error('no'), { data: { kind, retryable: true } });
    assert.deepEqual(promptFailed(error, 'e').commands, buttons);
  });
}

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
