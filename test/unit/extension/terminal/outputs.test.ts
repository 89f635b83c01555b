import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { CallOutput } from '../../../../src/acp/gatehouse/terminal.ts';
import { fill } from '../../../../src/base/fill.ts';
import { createOutputs } from '../../../../src/extension/terminal/outputs.ts';

async function use(how: 'copyOutput' | 'openOutput', output: CallOutput | Error) {
  const done: string[] = [];
  const outputs = createOutputs({
    fetch: async () => {
      if (output instanceof Error) throw output;
      return output;
    },
    show: async (title, text) => void done.push(`${title}: ${text}`),
    copy: async (text) => void done.push(`copied ${text}`),
    fail: (message) => done.push(`failed: ${message}`),
    t: (text, ...values) => fill(text, ...values.map(String)),
  });
  await outputs.use(how, 's', 'c');
  return done;
}

test('the whole output is read from its file, without colors', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'output-'));
  const file = path.join(folder, 'out.txt');
  writeFileSync(file, '\u001B[31mall\u001B[0m\n');
  assert.deepEqual(await use('openOutput', { text: 'al', path: file }), ['Output: all\n']);
  assert.deepEqual(await use('copyOutput', { text: 'al', path: file }), ['copied all\n']);
  rmSync(folder, { recursive: true });
  const gone = await use('openOutput', { text: 'al', path: file });
  assert.match(gone.join(), /^Output: al\n\nThe rest of this output is gone/);
});

test('a short output is what the model got, and a failure is reported', async () => {
  assert.deepEqual(await use('copyOutput', { text: 'ok' }), ['copied ok']);
  assert.deepEqual(await use('openOutput', new Error('no')), [
    'failed: Could not read the output: no',
  ]);
});

test('other work goes on while a long output is read', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'output-'));
  const file = path.join(folder, 'out.txt');
  const lines = '\u001B[32mé\u001B[0m and more\n'.repeat(100_000);
  writeFileSync(file, lines);
  let turns = 0;
  let reading = true;
  const turn = () => {
    turns += 1;
    if (reading) setImmediate(turn);
  };
  setImmediate(turn);
  const [shown] = await use('openOutput', { text: '', path: file });
  reading = false;
  rmSync(folder, { recursive: true });
  assert.equal(shown, `Output: ${'é and more\n'.repeat(100_000)}`);
  const blocks = Buffer.byteLength(lines) / (128 * 1024);
  assert.ok(turns >= blocks, `${turns} turns for ${blocks} blocks`);
});
