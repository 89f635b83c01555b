import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { AskReply } from '../../../src/gate/ask.ts';
import { type HostedOptions, hostedTerminal, hostedWrite, openHosted, toShort } from './hosted.ts';

const INPUT = { path: 'a.txt', content: 'text' };
const ALLOW = { permission: 'write', pattern: '**', action: 'allow' };
const DENY = { permission: 'write', pattern: 'a.txt', action: 'deny' };
const ASK = { permission: 'write', pattern: '**', action: 'ask' };

/** One hosted write: how it ends, whether the user was asked, and what the gate reports. */
function check(
  what: string,
  options: HostedOptions,
  expected: { readonly ends: string; readonly asks?: number; readonly events: readonly string[] },
) {
  test(`a hosted write ${what}`, async () => {
    using hosted = openHosted(options);
    const passage = await hosted.pass(hostedWrite, INPUT);
    const ends = passage.type === 'passed' ? 'passed' : passage.why;
    assert.deepEqual(
      { ends, asks: hosted.asks.length, events: hosted.events.map(toShort) },
      { asks: 0, ...expected },
    );
  });
}

check(
  'that a rule allows passes unasked',
  { rules: [ALLOW] },
  {
    ends: 'passed',
    events: ['call allow by rule'],
  },
);
check(
  'that a rule denies is stopped',
  { rules: [ALLOW, DENY] },
  {
    ends: 'deny',
    events: ['call deny by rule'],
  },
);
check(
  'outside its capabilities is refused whatever the rules say',
  {
    rules: [ALLOW],
    capabilities: { fs: { write: ['{workspace}/docs/**'] } },
  },
  { ends: 'refuse', events: ['call refuse by capability'] },
);
check(
  'that the user approves passes',
  { rules: [ASK], answers: [{ outcome: 'allow' }] },
  {
    ends: 'passed',
    asks: 1,
    events: ['call allow by user'],
  },
);
check(
  'that the user rejects is stopped',
  { answers: [{ outcome: 'reject' }] },
  {
    ends: 'reject',
    asks: 1,
    events: ['call deny by user'],
  },
);
check(
  'whose ask is closed is cancelled',
  { answers: [{ outcome: 'cancelled' }] },
  {
    ends: 'cancel',
    asks: 1,
    events: ['call cancel by user'],
  },
);
check(
  'that would be asked about is denied where nobody is',
  { headless: true },
  {
    ends: 'deny',
    events: ['call deny by headless'],
  },
);
check(
  'that the watchdog asks about is asked about in spite of a rule',
  {
    rules: [ALLOW],
    watchdog: async () => ({ action: 'ask', reason: 'odd' }),
    answers: [{ outcome: 'allow' }],
  },
  { ends: 'passed', asks: 1, events: ['call allow by user'] },
);
check(
  'that the watchdog denies is stopped',
  {
    rules: [ALLOW],
    watchdog: async () => ({ action: 'deny', reason: 'a secret' }),
  },
  { ends: 'deny', events: ['call deny by watchdog'] },
);
check(
  'that the watchdog asks about is denied where nobody is',
  {
    rules: [ALLOW],
    headless: true,
    watchdog: async () => ({ action: 'ask', reason: 'odd' }),
  },
  { ends: 'deny', events: ['call deny by headless'] },
);

test('a hosted write with invalid arguments is not evaluated, and reports the error', async () => {
  using hosted = openHosted({ rules: [ALLOW] });
  const passage = await hosted.pass(hostedWrite, { path: 'a.txt' });
  assert.ok(passage.type === 'stopped' && passage.why === 'invalid');
  assert.match(passage.text, /must have required property 'content'.* Correct them/);
  assert.deepEqual(hosted.events, []);
});

test('arguments that the user edits start again at validation (CA-41)', async () => {
  const answers: readonly AskReply[] = [
    { outcome: 'allow', editedInput: { path: 'b.txt', content: 'text' } },
    { outcome: 'allow' },
    { outcome: 'allow', editedInput: { path: 5 } },
  ];
  using hosted = openHosted({ answers });
  const passage = await hosted.pass(hostedWrite, INPUT);
  assert.ok(passage.type === 'passed');
  assert.deepEqual(passage.admitted.input, { path: 'b.txt', content: 'text' });
  assert.deepEqual(
    hosted.asks.map(({ title }) => title),
    ['Write a.txt', 'Write b.txt'],
  );
  const second = await hosted.pass(hostedWrite, INPUT);
  assert.equal(second.type === 'stopped' && second.why, 'invalid');
});

test('edited arguments cannot leave what the rules and capabilities grant', async () => {
  const editedInput = { path: '../outside', content: '' };
  using hosted = openHosted({
    capabilities: { fs: { write: ['{workspace}/**'] } },
    answers: [{ outcome: 'allow', editedInput }],
  });
  const passage = await hosted.pass(hostedWrite, INPUT);
  assert.equal(passage.type === 'stopped' && passage.why, 'refuse');
});

test('a user cannot edit a call endlessly', async () => {
  using hosted = openHosted({ ask: async () => ({ outcome: 'allow', editedInput: INPUT }) });
  const passage = await hosted.pass(hostedWrite, INPUT);
  assert.match(passage.type === 'stopped' ? passage.text : '', /edited too many times/);
});

test('the proposal is shown with the ask; if it cannot be made, the user is not asked', async () => {
  using hosted = openHosted({ answers: [{ outcome: 'allow' }] });
  const locations = [{ path: path.join(hosted.workspace, 'a.txt'), line: 3 }];
  const shown = { title: 'Write a.txt (+1)', locations };
  const prepare = async () => ({ ok: true, data: { shown } }) as const;
  const passage = await hosted.pass(hostedWrite, INPUT, { prepare });
  assert.deepEqual([hosted.asks[0]?.title, hosted.asks[0]?.locations], [shown.title, locations]);
  assert.equal(passage.shown?.title, shown.title);

  const fails = async () => ({ ok: false, error: 'no such file' }) as const;
  const failed = await hosted.pass(hostedWrite, INPUT, { prepare: fails });
  assert.deepEqual(failed.type === 'stopped' && [failed.why, failed.text], [
    'failed',
    'no such file',
  ]);
  assert.equal(hosted.asks.length, 1);
});

test('the path of a call is resolved once, and the result is shown, reported and opened', async () => {
  using hosted = openHosted({ answers: [{ outcome: 'allow' }] });
  const real = path.join(hosted.workspace, 'real');
  mkdirSync(real);
  symlinkSync('real', path.join(hosted.workspace, 'link'));
  const passage = await hosted.pass(hostedWrite, { path: 'link/a.txt', content: '' });
  const file = path.join(real, 'a.txt');
  assert.deepEqual(hosted.asks[0]?.locations, [{ path: file }]);
  assert.deepEqual(hosted.events[0]?.paths, [file]);
  assert.ok(passage.type === 'passed');
  assert.equal(passage.admitted.gate.realPath('link/a.txt'), file);
  assert.equal(passage.admitted.gate.realPath('another'), undefined);
});

test('an event has the call, the layer, the rule, each subject and the reason', async () => {
  using hosted = openHosted({
    rules: [{ permission: 'bash', pattern: 'echo *', action: 'allow' }],
    answers: [{ outcome: 'reject', reason: ' use make ' }],
  });
  await hosted.pass(hostedTerminal, { command: 'echo a; touch b' });
  const [event] = hosted.events;
  assert.ok(event);
  const { durationMs, subjects, reason, ...rest } = event;
  assert.ok(durationMs >= 0);
  assert.match(reason, /touch b/);
  assert.deepEqual(
    subjects.map(({ target, decision, rule }) => [target, decision, rule?.pattern]),
    [
      ['echo a', 'allow', 'echo *'],
      ['touch b', 'ask', undefined],
    ],
  );
  assert.deepEqual(rest, {
    sessionId: 'ses-1',
    toolCallId: 'call-1',
    tool: 'bash',
    about: 'call',
    decision: 'deny',
    by: 'user',
    userReason: 'use make',
    layer: 'rules',
    paths: [],
    rules: hosted.rules,
  });
});

test('a call whose turn ends while the user is asked is cancelled by the abort', async () => {
  const turn = new AbortController();
  using hosted = openHosted({
    ask: () => {
      queueMicrotask(() => turn.abort());
      return new Promise(() => undefined);
    },
  });
  const passage = await hosted.pass(hostedWrite, INPUT, { signal: turn.signal });
  assert.equal(passage.type === 'stopped' && passage.why, 'cancel');
  assert.deepEqual(hosted.events.map(toShort), ['call cancel by abort']);
});

test('an operation that requires confirmation asks despite an allow rule', async () => {
  using hosted = openHosted({ rules: [ALLOW], answers: [{ outcome: 'allow' }] });
  writeFileSync(path.join(hosted.workspace, 'a.txt'), '');
  const passage = await hosted.pass({ ...hostedWrite, confirmation: 'ask' }, INPUT);
  assert.equal(passage.type, 'passed');
  assert.equal(hosted.asks.length, 1);
});
