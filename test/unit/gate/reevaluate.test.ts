import assert from 'node:assert/strict';
import { test } from 'node:test';
import { success } from '../../../src/base/outcome.ts';
import type { AskReply } from '../../../src/gate/ask.ts';
import type { GateContext } from '../../../src/gate/gateContext.ts';
import type { AskExtras } from '../../../src/gate/passGate.ts';
import {
  type Hosted,
  hostedTerminal,
  hostedWrite,
  openHosted,
  sessionRules,
  toShort,
} from './hosted.ts';

const ALLOW = { permission: 'write', pattern: '**', action: 'allow' };
const INPUT = { path: 'a.txt', content: 'text' };

interface Pending {
  readonly hosted: Hosted;
  readonly passage: ReturnType<Hosted['pass']>;
  readonly signals: AbortSignal[];
  reply(reply: AskReply): void;
}

interface PendingOptions {
  readonly watchdog?: GateContext['watchdog'];
  readonly extras?: AskExtras;
}

/** One write that waits for the user. */
async function openPending({ watchdog, extras = {} }: PendingOptions = {}): Promise<Pending> {
  const { promise, resolve } = Promise.withResolvers<AskReply>();
  const asked = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const hosted = openHosted({
    ask: (_request, signal) => {
      signals.push(signal);
      asked.resolve();
      return promise;
    },
    ...(watchdog && { watchdog }),
  });
  const prepare = async () => success(extras);
  const passage = hosted.pass(hostedWrite, INPUT, { prepare });
  await asked.promise;
  return { hosted, passage, signals, reply: resolve };
}

test('VC-38 a rule that now allows a pending call settles it without the user', async () => {
  const { hosted, passage, signals, reply } = await openPending();
  using _ = hosted;
  hosted.rules = sessionRules([ALLOW]);
  await hosted.asks[0]?.reevaluate();
  const settled = await passage;
  assert.equal(settled.type === 'passed' && settled.admitted.decision.decision, 'allow');
  assert.equal(signals[0]?.aborted, true, 'the ask is withdrawn');
  reply({ outcome: 'reject' });
  assert.deepEqual(hosted.events.map(toShort), ['call allow by rule']);
});

test('VC-38 a rule that now denies a pending call settles it as denied', async () => {
  const { hosted, passage, signals } = await openPending();
  using _ = hosted;
  hosted.rules = sessionRules([{ ...ALLOW, action: 'deny' }]);
  await hosted.asks[0]?.reevaluate();
  const settled = await passage;
  assert.equal(settled.type === 'stopped' && settled.why, 'deny');
  assert.equal(signals[0]?.aborted, true);
  assert.deepEqual(hosted.events.map(toShort), ['call deny by rule']);
});

const CHANGES = ['/a.txt', '/b.txt'].map((path) => ({ path, beforeHash: '', newText: 'text' }));
const ENTRIES = ['0', '1'].map((id) => ({ id, path: `/${id}`, text: `\`${id}\`: deleted` }));
const REVIEWS: readonly (readonly [string, AskExtras, AskReply])[] = [
  ['entries', { entries: ENTRIES }, { outcome: 'allow', leftOut: ['1'] }],
  [
    'an edit',
    { preview: { changes: CHANGES } },
    { outcome: 'allow', approved: [{ path: '/a.txt', text: 'text' }] },
  ],
];
for (const [what, extras, answer] of REVIEWS) {
  test(`a rule that now allows does not settle a review of ${what}, of which the user may have left out a part`, async () => {
    const { hosted, passage, signals, reply } = await openPending({ extras });
    using _ = hosted;
    hosted.rules = sessionRules([ALLOW]);
    await hosted.asks[0]?.reevaluate();
    assert.equal(signals[0]?.aborted, false, 'the ask is still pending');
    reply(answer);
    const settled = await passage;
    assert.ok(settled.type === 'passed');
    assert.deepEqual(settled.leftOut, answer.outcome === 'allow' ? answer.leftOut : undefined);
    assert.equal(settled.approved?.changes.length, extras.preview && 1);
    assert.deepEqual(hosted.events.map(toShort), ['call allow by user']);
  });

  test(`a rule that now denies settles a review of ${what}`, async () => {
    const { hosted, passage, signals } = await openPending({ extras });
    using _ = hosted;
    hosted.rules = sessionRules([{ ...ALLOW, action: 'deny' }]);
    await hosted.asks[0]?.reevaluate();
    const settled = await passage;
    assert.equal(settled.type === 'stopped' && settled.why, 'deny');
    assert.equal(signals[0]?.aborted, true, 'the ask is withdrawn');
  });
}

test('VC-38 a pending call that the new rules do not decide stays with the user', async () => {
  const { hosted, passage, signals, reply } = await openPending();
  using _ = hosted;
  hosted.rules = sessionRules([{ ...ALLOW, pattern: 'other/**' }]);
  await hosted.asks[0]?.reevaluate();
  assert.equal(signals[0]?.aborted, false);
  reply({ outcome: 'allow' });
  assert.equal((await passage).type, 'passed');
  assert.deepEqual(hosted.events.map(toShort), ['call allow by user']);
});

test('a pending call is evaluated by the watchdog once, and its ask holds', async () => {
  let seen = 0;
  const { hosted, passage, reply } = await openPending({
    watchdog: async () => {
      seen += 1;
      return { action: 'ask', reason: 'odd' };
    },
  });
  using _ = hosted;
  hosted.rules = sessionRules([ALLOW]);
  await hosted.asks[0]?.reevaluate();
  await hosted.asks[0]?.reevaluate();
  reply({ outcome: 'reject' });
  const settled = await passage;
  assert.equal(settled.type === 'stopped' && settled.why, 'reject');
  assert.equal(seen, 1);
});

test('an answered ask is not evaluated again', async () => {
  const { hosted, passage, reply } = await openPending();
  using _ = hosted;
  reply({ outcome: 'reject' });
  await passage;
  hosted.rules = sessionRules([ALLOW]);
  await hosted.asks[0]?.reevaluate();
  assert.deepEqual(hosted.events.map(toShort), ['call deny by user']);
});

test('rules that are stored while an answer is saved do not replace the answer', async () => {
  const { promise: kept, resolve: keep } = Promise.withResolvers<void>();
  const { promise: asked, resolve: onAsk } = Promise.withResolvers<void>();
  using hosted = openHosted({
    ask: async ({ answered }) => {
      answered();
      onAsk();
      await kept;
      return { outcome: 'reject' };
    },
  });
  const passage = hosted.pass(hostedWrite, INPUT);
  await asked;
  hosted.rules = sessionRules([ALLOW]);
  await hosted.asks[0]?.reevaluate();
  keep();
  const settled = await passage;
  assert.equal(settled.type === 'stopped' && settled.why, 'reject');
  assert.deepEqual(hosted.events.map(toShort), ['call deny by user']);
});

test('a call that can no longer be evaluated fails with that error, and is not allowed', async () => {
  const { hosted, passage } = await openPending();
  using _ = hosted;
  const failed = assert.rejects(passage, /no rules/);
  Object.defineProperty(hosted, 'rules', {
    get: () => {
      throw new Error('no rules');
    },
  });
  await hosted.asks[0]?.reevaluate();
  await failed;
});

test('a rule that an answer stores applies to the next call', async () => {
  using hosted = openHosted({
    ask: async (request) => {
      const [narrowest] = request.decision.candidates();
      hosted.rules = sessionRules([...(narrowest?.rules ?? [])]);
      return { outcome: 'allow' };
    },
  });
  assert.equal((await hosted.pass(hostedWrite, INPUT)).type, 'passed');
  assert.equal((await hosted.pass(hostedWrite, INPUT)).type, 'passed');
  assert.equal(hosted.asks.length, 1);
  assert.deepEqual(hosted.events.map(toShort), ['call allow by user', 'call allow by rule']);
});

test('a deny that came into force while the user was asked holds for a command, too', async () => {
  using hosted = openHosted({
    ask: async () => {
      hosted.rules = sessionRules([{ permission: 'bash', pattern: 'deploy *', action: 'deny' }]);
      return { outcome: 'allow' };
    },
  });
  const settled = await hosted.pass(hostedTerminal, { command: 'deploy now' });
  assert.equal(settled.type === 'stopped' && settled.why, 'deny');
  assert.deepEqual(hosted.events.map(toShort), ['call deny by rule']);
});
