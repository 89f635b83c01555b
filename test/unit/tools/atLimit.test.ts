import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { CommandAtLimit, LimitChoice } from '../../../src/runtime/atLimit.ts';
import { ALLOW_ALL, openBed } from './bed.ts';
import { dataOf, errorOf, openSession, type SessionOptions } from './session.ts';

type Ask = (command: CommandAtLimit, signal: AbortSignal) => Promise<LimitChoice | undefined>;

const asking = (askAtLimit: Ask, limits: SessionOptions['limits'] = {}): SessionOptions => ({
  rules: ALLOW_ALL,
  limits,
  services: { askAtLimit },
});

/** Ends when the file `go` is there. */
const UNTIL_GO = 'while [ ! -e go ]; do sleep 0.05; done';

/** Answers once the command has created the file. */
const after = (file: string, choice: LimitChoice) => async (): Promise<LimitChoice> => {
  while (!existsSync(file)) await delay(10);
  // What was written before it is read in the same turn of the event loop.
  await setImmediate();
  return choice;
};

test('a command that the user lets run longer ends by itself', async () => {
  using bed = openBed();
  const asked: CommandAtLimit[] = [];
  await using session = openSession(
    bed,
    asking(async (command) => {
      asked.push(command);
      writeFileSync(path.join(bed.workspace, 'go'), '');
      return 'continue';
    }),
  );
  const input = { command: `echo a; ${UNTIL_GO}; echo b`, description: 'Wait', timeout_ms: 100 };
  const data = dataOf(await session.call('bash', input));
  assert.deepEqual([data['output'], data['exit_code']], ['a\nb\n', 0]);
  assert.deepEqual(asked, [{ title: 'Wait', ranMs: 100, moreMs: 120_000, answerMs: 120_000 }]);
});

test('a command runs on while the user is asked, and its end withdraws the question', async () => {
  using bed = openBed();
  let withdrawn = false;
  await using session = openSession(
    bed,
    asking(
      (_, signal) =>
        new Promise((resolve) => {
          writeFileSync(path.join(bed.workspace, 'go'), '');
          signal.addEventListener('abort', () => {
            withdrawn = true;
            resolve(undefined);
          });
        }),
    ),
  );
  const input = { command: `${UNTIL_GO}; echo done`, timeout_ms: 50 };
  const data = dataOf(await session.call('bash', input));
  assert.deepEqual([data['output'], withdrawn], ['done\n', true]);
});

test('without an answer in time the command is stopped as without the question', async () => {
  using bed = openBed();
  await using session = openSession(
    bed,
    asking(
      (_, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined))),
      { commandAnswerMs: 80 },
    ),
  );
  const error = errorOf(await session.call('bash', { command: 'sleep 60', timeout_ms: 50 }));
  assert.match(error, /did not finish within 50 ms; .* were killed\./);
  assert.doesNotMatch(error, /The user stopped/);
});

test('a question that fails stops the command', async () => {
  using bed = openBed();
  await using session = openSession(
    bed,
    asking(() => Promise.reject(new Error('The editor is gone.'))),
  );
  const error = errorOf(await session.call('bash', { command: 'sleep 60', timeout_ms: 50 }));
  assert.match(error, /did not finish within 50 ms/);
});

test('a command that the user stops is killed with its output, and the model is told', async () => {
  using bed = openBed();
  await using session = openSession(bed, asking(after(path.join(bed.workspace, 'ran'), 'stop')));
  const error = errorOf(
    await session.call('bash', { command: 'echo a; touch ran; sleep 60', timeout_ms: 50 }),
  );
  assert.match(
    error,
    /did not finish within 50 ms.*The user stopped this command.*Its output:\na\n/s,
  );
});

test('a command that the user moves to the background runs on while the call ends', async () => {
  using bed = openBed();
  await using session = openSession(
    bed,
    asking(after(path.join(bed.workspace, 'ran'), 'background')),
  );
  const command = 'echo a; touch ran; sleep 60; touch done';
  const data = dataOf(await session.call('bash', { command, timeout_ms: 50 }));
  assert.equal(data['output'], 'a\n');
  assert.equal(data['exit_code'], null);
  assert.ok(Array.isArray(data['running']) && data['running'].length > 0);
  assert.equal(existsSync(path.join(bed.workspace, 'done')), false);
});

test('nobody is asked when no answer is waited for', async () => {
  using bed = openBed();
  let asked = 0;
  await using session = openSession(
    bed,
    asking(
      async () => {
        asked += 1;
        return 'continue';
      },
      { commandAnswerMs: 0 },
    ),
  );
  errorOf(await session.call('bash', { command: 'sleep 60', timeout_ms: 50 }));
  assert.equal(asked, 0);
});
