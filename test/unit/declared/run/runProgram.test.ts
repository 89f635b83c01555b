import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { runProgram } from '../../../../src/declared/run/runProgram.ts';

test('a time limit longer than a timer counts does not end the program at once', async () => {
  const { ended, stdout } = await runProgram({
    argv: [process.execPath, '-e', 'setTimeout(() => console.log("over"), 50)'],
    cwd: tmpdir(),
    env: {},
    stdin: undefined,
    timeoutMs: 2 ** 40,
    signal: new AbortController().signal,
    maxStdout: 1000,
  });
  assert.deepEqual({ ended, stdout }, { ended: 'exit', stdout: 'over\n' });
});
