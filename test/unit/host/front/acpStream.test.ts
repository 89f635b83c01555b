import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as tick } from 'node:timers/promises';
import { createAcpStream } from '../../../../src/host/front/acpStream.ts';

const message = (method: string) => ({ jsonrpc: '2.0', method }) as const;
const line = (method: string) => `${JSON.stringify(message(method))}\n`;

test('messages of one tick are written together, in order', async () => {
  const { writer, writes } = open();
  await Promise.all(['a', 'b', 'c'].map((method) => writer.write(message(method))));
  await tick();
  await writer.write(message('d'));
  await tick();
  assert.deepEqual(writes, [line('a') + line('b') + line('c'), line('d')]);
});

test('joined writes stay within the atomic size of a pipe, so that no line is torn', async () => {
  const { writer, writes } = open();
  const [half, whole] = ['é'.repeat(1500), 'x'.repeat(9000)];
  for (const method of [half, half, whole, 'a', 'b']) void writer.write(message(method));
  await tick();
  assert.deepEqual(writes, [line(half), line(half), line(whole), line('a') + line('b')]);
});

test('writing waits while the client does not read', async () => {
  const { writer, writes, drain } = open({ full: true });
  await writer.write(message('a'));
  await tick();
  let went = false;
  const second = writer.write(message('b')).then(() => {
    went = true;
  });
  await tick();
  assert.deepEqual([writes.length, went], [1, false]);
  drain();
  await tick();
  drain();
  await second;
  assert.deepEqual(writes, [line('a'), line('b')]);
});

test('a broken pipe fails pending and later writes', async () => {
  const { writer, stdout } = open({ full: true });
  await writer.write(message('a'));
  await tick();
  const waiting = writer.write(message('b'));
  stdout.destroy(new Error('EPIPE'));
  await assert.rejects(waiting, /EPIPE/);
  await assert.rejects(writer.write(message('c')), /EPIPE|closed the pipe/);
});

test('messages are read line by line, and an invalid line gets an error answer', async () => {
  const { stream, stdin, writes } = open();
  const reader = stream.readable.getReader();
  stdin.write(`${line('a').slice(0, 9)}`);
  stdin.write(`${line('a').slice(9)}no message\n${line('b')}`);
  const read = [(await reader.read()).value, (await reader.read()).value];
  assert.deepEqual(read, [message('a'), message('b')]);
  await tick();
  assert.match(writes.join(''), /^\{.*-32700.*\}\n$/);
});

test('of a client that reads no replies, at most a thousand requests are read until it does', async () => {
  const { stream, stdin, writer, drain } = open({ full: true });
  const reader = stream.readable.getReader();
  const ids: unknown[] = [];
  const reading = (async () => {
    for (;;) {
      const { value } = await reader.read();
      if (value === undefined) return;
      if ('id' in value) ids.push(value.id);
    }
  })();
  void writer.write(message('blocks'));
  await tick();
  for (let id = 0; id < 3_000; id += 1) {
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'x' })}\n`);
  }
  stdin.end();
  for (let turn = 0; turn < 100; turn += 1) await tick();
  assert.equal(ids.length, 1_000);
  drain();
  await reading;
  assert.deepEqual(
    ids,
    Array.from({ length: 3_000 }, (_, id) => id),
  );
});

test('the end of a client that left with a thousand replies to come is still read', async () => {
  const { stream, stdin, stdout, writer } = open({ full: true });
  const reader = stream.readable.getReader();
  let isOver = false;
  const reading = (async () => {
    while (!(await reader.read()).done);
    isOver = true;
  })();
  writer.write(message('blocks')).catch(() => undefined);
  await tick();
  for (let id = 0; id < 1_500; id += 1) {
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'x' })}\n`);
  }
  stdin.end();
  for (let turn = 0; turn < 100; turn += 1) await tick();
  assert.equal(isOver, false);
  stdout.destroy(new Error('broken'));
  // A reply after the end fails, and blocks nobody.
  for (let turn = 0; turn < 3; turn += 1) {
    await tick();
    writer.write(message('late')).catch(() => undefined);
  }
  for (let turn = 0; turn < 100; turn += 1) await tick();
  await assert.rejects(writer.write(message('last')), /broken|closed/);
  assert.equal(isOver, true);
  await reading;
});

test('a line that is too long gets an error answer, and the next one is read', async () => {
  const { stream, stdin, writes } = open();
  const reader = stream.readable.getReader();
  stdin.write(
    `{"jsonrpc":"2.0","id":7,"method":"x","params":"${'x'.repeat(2_000_000)}"}\n${line('b')}`,
  );
  assert.deepEqual((await reader.read()).value, message('b'));
  await tick();
  assert.match(writes.join(''), /^\{"jsonrpc":"2.0","id":7,"error":\{"code":-32600,[^\n]*\}\n$/);
});

function open({ full = false } = {}) {
  const writes: string[] = [];
  const held: (() => void)[] = [];
  const stdout = new Writable({
    highWaterMark: full ? 1 : 1_000_000,
    write: (bytes: Buffer, _encoding, done) => {
      writes.push(bytes.toString());
      if (full) held.push(done);
      else done();
    },
    writev: (chunks, done) => {
      writes.push(...chunks.map(({ chunk }) => String(chunk)));
      if (full) held.push(done);
      else done();
    },
  });
  const stdin = new PassThrough();
  const stream = createAcpStream({ stdin, stdout }, 1_000_000);
  const drain = () => {
    for (const done of held.splice(0)) done();
  };
  return { stream, writer: stream.writable.getWriter(), writes, stdin, stdout, drain };
}
