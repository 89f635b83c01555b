import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { listenForAnswer } from '../../../src/mcp/oauth/callback.ts';

test('CS-58 an answer that does not know the state is refused, and the sign-in goes on', async (t) => {
  const callback = await listenForAnswer();
  t.after(() => callback.close());
  const waiting = callback.wait('expected', new AbortController().signal);
  for (const [path, status] of [
    ['?code=a', 404],
    ['?code=a&state=', 404],
    ['?code=a&state=expectee', 404],
    ['/other?code=a&state=expected', 404],
    ['?code=right&state=expected&iss=https://a.example', 200],
  ] as const) {
    assert.equal((await fetch(`${callback.url}${path}`)).status, status, path);
  }
  assert.deepEqual(await waiting, { code: 'right', issuer: 'https://a.example' });
});

test('CS-58 a sign-in that is ended waits no longer', async (t) => {
  const callback = await listenForAnswer();
  t.after(() => callback.close());
  const ended = new AbortController();
  const waiting = callback.wait('expected', ended.signal);
  ended.abort(new Error('It was started again.'));
  await assert.rejects(waiting, /started again/);
});

test('CS-58 a request whose path is no URL is refused, and the host goes on', async (t) => {
  const callback = await listenForAnswer();
  t.after(() => callback.close());
  const { port } = new URL(callback.url);
  for (const path of ['//', '//:0', '/\\', 'http://[']) {
    const status = await new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path }, ({ statusCode }) => resolve(statusCode))
        .on('error', reject)
        .end();
    });
    assert.equal(status, 404, path);
  }
});
