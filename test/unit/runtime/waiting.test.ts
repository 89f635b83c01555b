import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failure, type Outcome, success } from '../../../src/base/outcome.ts';
import { startProgram } from '../../../src/runtime/commands/startProgram.ts';
import {
  startTimeLimit,
  toEitherWaiting,
  toWaitingEgress,
  UserWaiting,
} from '../../../src/runtime/waiting.ts';
import { bounded } from '../../../src/tools/bounded.ts';

test('a time limit counts only the time in which nothing waits for the user', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const pass = (ms: number): void => {
    now += ms;
    t.mock.timers.tick(ms);
  };
  const waiting = new UserWaiting();
  let ended = false;
  const end = () => {
    ended = true;
  };
  startTimeLimit(100, end, waiting, () => now);
  pass(60);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const asked = [waiting.during(() => first.promise), waiting.during(() => second.promise)];
  pass(1_000_000);
  first.resolve();
  await asked[0];
  pass(1_000_000);
  assert.deepEqual([ended, waiting.isWaiting], [false, true]);
  second.resolve();
  await asked[1];
  pass(39);
  assert.deepEqual([ended, waiting.isWaiting], [false, false]);
  pass(1);
  assert.equal(ended, true);
});

test('a stopped limit ends nothing, whatever waits afterwards', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const waiting = new UserWaiting();
  const stop = startTimeLimit(100, () => assert.fail('it ended'), waiting);
  stop();
  await waiting.during(async () => undefined);
  t.mock.timers.tick(1000);
});

test('a question that fails no longer waits', async () => {
  const waiting = new UserWaiting();
  await assert.rejects(
    waiting.during(() => Promise.reject(new Error('gone'))),
    /gone/,
  );
  assert.equal(waiting.isWaiting, false);
});

test('a host is authorized by the gate, and what it is asked for waits meanwhile', async () => {
  const waiting = new UserWaiting();
  const answers = [Promise.withResolvers<Outcome<void>>(), Promise.withResolvers<Outcome<void>>()];
  const asked: string[] = [];
  const ask = (target: string) => {
    asked.push(target);
    return answers[asked.length - 1]?.promise ?? Promise.reject(new Error(target));
  };
  const egress = toWaitingEgress(
    { authorize: ({ target }) => ask(target), authorizeAddress: ask },
    waiting,
  );
  const host = egress.authorize({ capability: 'net.fetch', target: 'https://a/' });
  const address = egress.authorizeAddress('https://192.0.2.1/');
  answers[0]?.resolve(success(undefined));
  assert.deepEqual([await host, waiting.isWaiting], [success(undefined), true]);
  answers[1]?.resolve(failure('no'));
  assert.deepEqual([await address, waiting.isWaiting], [failure('no'), false]);
  assert.deepEqual(asked, ['https://a/', 'https://192.0.2.1/']);
});

test('neither a program nor a call runs out of time while the user is asked', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const waiting = new UserWaiting();
  const answer = Promise.withResolvers<void>();
  const asked = waiting.during(() => answer.promise);
  const started = await startProgram({
    argv: ['sleep', '1000'],
    env: { PATH: process.env['PATH'] },
    ending: 'program',
    timeoutMs: 1000,
    waiting,
  });
  assert.ok(started.ok);
  const confined = { waiting, prepare: async () => failure('unused') };
  const given = new AbortController();
  const signals = { signal: new AbortController().signal, given, runtime: { confined } };
  const call = bounded(started.program.ended, 2000, signals);
  t.mock.timers.tick(1_000_000);
  assert.deepEqual([started.program.status().signal, given.signal.aborted], [null, false]);
  answer.resolve();
  await asked;
  t.mock.timers.tick(1000);
  assert.equal(await call, 'timeout');
});

test('a limit does not count the time in which either of two waits', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const pass = (ms: number): void => {
    now += ms;
    t.mock.timers.tick(ms);
  };
  const [one, two] = [new UserWaiting(), new UserWaiting()];
  let ended = false;
  const end = () => {
    ended = true;
  };
  startTimeLimit(100, end, toEitherWaiting(one, undefined, two), () => now);
  pass(60);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const asked = [one.during(() => first.promise), two.during(() => second.promise)];
  pass(1000);
  first.resolve();
  await asked[0];
  pass(1000);
  assert.equal(ended, false);
  second.resolve();
  await asked[1];
  pass(39);
  assert.equal(ended, false);
  pass(1);
  assert.equal(ended, true);
});

test('the limit of a call does not count the time in which the call waits for the user', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const waiting = new UserWaiting();
  const given = new AbortController();
  const work = Promise.withResolvers<string>();
  const signals = { signal: new AbortController().signal, given, runtime: { waiting } };
  const call = bounded(work.promise, 2000, signals);
  const answer = Promise.withResolvers<void>();
  const asked = waiting.during(() => answer.promise);
  t.mock.timers.tick(1_000_000);
  assert.equal(given.signal.aborted, false);
  answer.resolve();
  await asked;
  work.resolve('done');
  assert.equal(await call, 'done');
});
