import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { toRecord } from '../../../src/base/json.ts';
import { MB } from '../../../src/base/units.ts';
import { createView, playTurn } from '../../tour/playTurn.ts';
import { type FloodName, startFlood } from './floods.ts';

const TURN = path.join(import.meta.dirname, 'floodedTurn.ts');

check('an endless error body', MB, /failed \(500\): Internal Server Error/);
check('an endless event', 16 * MB, /sent one part of its answer larger than 16 MB/);
check('a packed event', undefined, /sent one part of its answer larger than 16 MB/);
check('endless events', 64 * MB, /sent an answer larger than 64 MB/);
check('endless arguments', 64 * MB, /sent an answer larger than 64 MB/);

test('arguments that are nested 4000 deep are an error that the model reads, and the turn goes on', async (t) => {
  const deep = '['.repeat(4000) + ']'.repeat(4000);
  const calls = [{ tool: 'read', input: `{"path":${deep}}` }];
  const { view, server } = await createView(t, [{ calls }, { text: 'Sorry.' }], {
    call: () => Promise.reject(new Error('it must not run')),
  });

  const chunks = await playTurn(view);

  const [error] = chunks.filter(({ type }) => type === 'tool-input-error');
  assert.match(
    JSON.stringify(error),
    /The arguments are nested more than 200 deep; call read again/,
  );
  assert.deepEqual(chunks.at(-1), { type: 'finish', finishReason: 'stop' });
  assert.match(
    server.requests[1]?.conversation.results[0]?.errorText ?? '',
    /nested more than 200 deep/,
  );
});

/** Bytes on their way when the reader stops: buffers of two sockets and of streams. */
const ON_THE_WAY = 24 * MB;

function check(name: FloodName, most: number | undefined, text: RegExp) {
  test(`${name} is read as far as its bound, in little memory, and said`, async (t) => {
    const flood = await startFlood(name);
    t.after(() => flood.stop());
    const limits = ['--max-old-space-size=192', '--max-semi-space-size=4'];
    const { stdout } = await promisify(execFile)(process.execPath, [...limits, TURN, flood.url]);
    await flood.ended;
    const { fault, last, megabytes } = toRecord(JSON.parse(stdout));
    assert.match(String(toRecord(fault)['text']), text);
    assert.match(String(toRecord(fault)['text']), /Everything so far is saved/);
    assert.equal(last, 'finish');
    // What is packed says nothing about what was read.
    const limit = most === undefined ? Infinity : most + ON_THE_WAY;
    assert.ok(flood.sent() < limit, `${flood.sent()} bytes were sent`);
    assert.ok(Number(megabytes) < 300, `${megabytes} MB`);
  });
}
