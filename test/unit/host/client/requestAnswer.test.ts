import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestError, type RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { type Client, requestAnswer } from '../../../../src/host/client/client.ts';

const PARAMS: RequestPermissionRequest = {
  sessionId: 's',
  toolCall: { toolCallId: 'c' },
  options: [],
};

/** A client whose every request is rejected with this. */
function failing(error: unknown): Pick<Client, 'peer' | 'asking'> {
  const fail = () => Promise.reject(error);
  const moved = new AbortController().signal;
  return { peer: { request: fail, notify: fail }, asking: () => ({ ready: true, moved }) };
}

test('a lost connection is no answer: the request stays open until its turn ends', async () => {
  const lost = new Error('ACP connection closed');
  const turn = new AbortController();
  let ended = false;
  const method = 'session/request_permission';
  const asked = requestAnswer(failing(lost), method, PARAMS, turn.signal).finally(() => {
    ended = true;
  });
  asked.catch(() => undefined);
  for (let pass = 0; pass < 20; pass += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(ended, false);
  turn.abort();
  await assert.rejects(asked, { name: 'AbortError' });
});

test('an error of the client is its answer', async () => {
  const { signal } = new AbortController();
  const refused = RequestError.internalError();
  const method = 'session/request_permission';
  await assert.rejects(requestAnswer(failing(refused), method, PARAMS, signal), refused);
});
