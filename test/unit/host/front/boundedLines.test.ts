import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { MB } from '../../../../src/base/units.ts';
import { boundLines } from '../../../../src/host/front/boundedLines.ts';

const LONG = 'x'.repeat(MB);
const error = {
  code: -32600,
  message:
    'The message is larger than 1 MB, so it was not read. Remove an attachment and send it again.',
  data: { kind: 'too-large', retryable: false },
};

test('a line of exactly the limit passes, whatever its chunks are', async () => {
  const line = `"${'y'.repeat(MB - 2)}"`;
  assert.deepEqual(await pass(`${line}\nshort\n`), { passed: `${line}\nshort\n`, refused: [] });
  assert.deepEqual(await pass(`${line}z\nshort`), {
    passed: 'short\n',
    refused: [{ jsonrpc: '2.0', id: null, error }],
  });
});

check('a request', `{"jsonrpc":"2.0","id":7,"method":"a","params":{"t":"${LONG}"}}`, 7);
check('a request with its method first', `{"method":"a","id":"é\\"","params":"${LONG}"}`, 'é"');
check('a request with its id last', `{"method":"a","params":{"t":"${LONG}"},"id":8}`, 8);
check('an id of the parameters', `{"method":"a","params":{"t":"${LONG}","id":8}}`, null);
check('a notification', `{"jsonrpc":"2.0","method":"a","params":"${LONG}"}`, null);
check('what is no message', LONG + LONG, null);
check('an answer with its id last', `{"jsonrpc":"2.0","result":"${LONG}","id":3}`, null);
check('spaces without end', ' '.repeat(3 * MB), null);

/** Each is refused once, with an id that the client can match, and the next line passes. */
function check(name: string, line: string, id: unknown) {
  test(`${name} that is too long is refused with the id ${String(id)}`, async () => {
    const refused = [{ jsonrpc: '2.0', id, error }];
    assert.deepEqual(await pass(`${line}\n{"next":1}\n`), { passed: '{"next":1}\n', refused });
  });
}

test('an answer that is too long is replaced, so that the request of ours fails', async () => {
  const { passed, refused } = await pass(
    `{"jsonrpc":"2.0","id":3,"result":{"content":"${LONG}"}}\n`,
  );
  assert.deepEqual(refused, []);
  assert.deepEqual(JSON.parse(passed), { jsonrpc: '2.0', id: 3, error });
});

async function pass(text: string) {
  const refused: object[] = [];
  const lines = boundLines({ most: MB, refuse: (answer) => refused.push(answer) });
  const bytes = Buffer.from(text);
  let passed = '';
  lines.on('data', (chunk: Buffer) => {
    passed += chunk.toString();
  });
  for (let at = 0; at < bytes.length; at += 60_001) lines.write(bytes.subarray(at, at + 60_001));
  lines.end();
  await once(lines, 'end');
  return { passed, refused };
}
