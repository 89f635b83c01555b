import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../../src/base/clock.ts';
import { Asks } from '../../../../src/extension/asks/asks.ts';
import { AskedRules } from '../../../../src/extension/rules/askedRules.ts';
import type { PermissionAsk, QuestionAsk } from '../../../../src/webview/messages/asks.ts';

function permission(id: string, ...patterns: readonly string[]): PermissionAsk {
  const rules = patterns.map((pattern) => ({
    rule: { permission: 'bash', pattern, action: 'allow' as const },
    text: pattern,
    alsoMatches: [],
  }));
  return {
    ...{ kind: 'permission', id, toolCallId: id, title: id, toolKind: 'execute', subject: id },
    ...{ length: 1, suspicious: false, why: '', parts: [], diff: false, diffs: [], options: [] },
    offers: { allow: [{ part: id, rules }], deny: [] },
    since: 0,
  };
}

function open() {
  const asks = new Asks(systemClock);
  const asked = new AskedRules(asks);
  const end = new AbortController();
  const ask = (sessionId: string, each: PermissionAsk | QuestionAsk) =>
    void asks.add({ sessionId, ask: each, source: { agent: 'a', order: 0 } }, end.signal);
  const list = (session?: string) => asked.list(session).map(({ pattern }) => pattern);
  return { asked, ask, list, end: () => end.abort() };
}

test('offered rules stay after their request ends, those of the shown session first', () => {
  const { ask, list, end } = open();
  ask('one', permission('1', 'ls a', 'ls *'));
  ask('two', permission('2', 'git log', 'ls *'));
  end();
  assert.deepEqual(list('one'), ['ls a', 'ls *', 'git log']);
  assert.deepEqual(list('two'), ['git log', 'ls *', 'ls a']);
  assert.deepEqual(list(), ['git log', 'ls *', 'ls a']);
});

test('questions offer nothing, and a request counts once', () => {
  const { ask, list } = open();
  const question: QuestionAsk = { kind: 'question', id: 'q', title: '', questions: [] } as never;
  ask('one', question);
  ask('one', permission('1', 'ls'));
  ask('one', permission('2', 'cat'));
  assert.deepEqual(list('one'), ['cat', 'ls']);
});

test('a bounded number of rules and sessions is kept, the newest', () => {
  const { ask, list } = open();
  for (let at = 0; at < 60; at += 1) ask('one', permission(`1-${at}`, `ls ${at}`));
  assert.deepEqual(
    [list('one').length, list('one')[0], list('one').at(-1)],
    [50, 'ls 59', 'ls 10'],
  );
  for (let at = 0; at < 20; at += 1) ask(`s${at}`, permission(`s${at}`, `cat ${at}`));
  assert.ok(!list().includes('ls 59'));
  assert.equal(list()[0], 'cat 19');
});

test('nothing is collected after disposal', () => {
  const { ask, asked, list } = open();
  asked.dispose();
  ask('one', permission('1', 'ls'));
  assert.deepEqual(list('one'), []);
});
