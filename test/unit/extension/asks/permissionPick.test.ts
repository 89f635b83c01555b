import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pickPermission } from '../../../../src/extension/asks/permissionPick.ts';
import {
  ARM_DELAY,
  type AskOption,
  type PermissionAsk,
} from '../../../../src/webview/messages/asks.ts';
import { english } from '../english.ts';
import { settle } from '../fakeClock.ts';
import { FakePickWindow } from '../fakePick.ts';

const ONCE: AskOption = { optionId: 'allow', name: 'Allow once', kind: 'allow_once' };
const DENY: AskOption = { optionId: 'reject', name: 'Reject', kind: 'reject_once' };
const EXACT_SESSION = always('s0', 'session', 'bash(npm test)');
const EXACT_USER = always('u0', 'user', 'bash(npm test)');
const WIDE_SESSION = always('s1', 'session', 'bash(npm *)');
const WIDE_WORKSPACE = always('w1', 'workspace', 'bash(npm *)');
const ALL = [ONCE, EXACT_SESSION, WIDE_SESSION, WIDE_WORKSPACE, EXACT_USER, DENY];

test('the answers are listed in their fixed order', () => {
  const { window } = ask(ALL);
  assert.deepEqual(window.shown.labels, [
    'Show Details',
    'Allow once',
    'Allow for session',
    'Always allow…',
    'Deny',
    'Deny with reason…',
  ]);
  assert.equal(window.shown.placeholder, 'npm test');
});

test('options that the agent does not offer are not listed', () => {
  const { window } = ask([ONCE, DENY], { diff: true });
  assert.deepEqual(window.shown.labels, ['Show Diff', 'Allow once', 'Deny', 'Deny with reason…']);
});

test('the reason is the detail of the first item', () => {
  const { window } = ask(ALL, { why: 'No rule covers "npm test".' });
  const [first] = window.shown.items;
  assert.deepEqual(
    [first?.label, first?.detail],
    ['Show Details', 'Reason: No rule covers "npm test".'],
  );
});

test('a long command also shows its end', () => {
  const subject = `echo ${'a'.repeat(100)}; rm -rf build`;
  const { window } = ask(ALL, { subject, length: subject.length });
  assert.match(window.shown.items[0]?.description ?? '', /^119 characters, .*; rm -rf build$/);
});

test('a title that repeats the command is omitted', () => {
  const titleOf = (title: string) => ask(ALL, { title }).window.shown.title;
  assert.equal(titleOf('npm …'), 'Permission needed');
  assert.equal(titleOf('Run the tests'), 'Run the tests');
});

test('Allow once answers with the option of the agent', async () => {
  const { window, result } = ask(ALL);
  choose(window, 'Allow once');
  assert.deepEqual(await result, { kind: 'option', optionId: 'allow' });
});

test('always asks for pattern and destination, and can go back', async () => {
  const { window, result } = ask(ALL);
  choose(window, 'Always allow…');
  await settle();
  assert.deepEqual(window.shown.labels, ['bash(npm test)', 'bash(npm *)']);
  choose(window, 'bash(npm *)');
  await settle();
  assert.deepEqual(window.shown.labels, [
    'In this session',
    'In this workspace (workspace settings)',
  ]);
  window.shown.back();
  await settle();
  choose(window, 'bash(npm test)');
  await settle();
  choose(window, 'Everywhere (user settings)');
  assert.deepEqual(await result, { kind: 'option', optionId: 'u0' });
});

test('going back from the patterns shows the first step again', async () => {
  const { window, result } = ask(ALL);
  choose(window, 'Always allow…');
  await settle();
  window.shown.back();
  await settle();
  choose(window, 'Deny');
  assert.deepEqual(await result, { kind: 'option', optionId: 'reject' });
});

test('a reason travels with the denial', async () => {
  const { window, result } = ask(ALL);
  window.inputs.push('use pnpm');
  choose(window, 'Deny with reason…');
  assert.deepEqual(await result, { kind: 'option', optionId: 'reject', reason: 'use pnpm' });
});

test('leaving the reason input keeps the ask pending', async () => {
  const { window, result } = ask(ALL);
  window.inputs.push(undefined);
  choose(window, 'Deny with reason…');
  assert.equal(await result, undefined);
});

test('opening the details answers nothing', async () => {
  const { window, result, seen } = ask(ALL);
  choose(window, 'Show Details');
  assert.equal(await result, undefined);
  assert.deepEqual(seen, ['ask-1']);
});

test('hidden characters are reported beside the command', () => {
  const { window } = ask(ALL, { suspicious: true });
  assert.match(window.shown.placeholder, /hidden characters/);
});

function always(
  optionId: string,
  destination: 'session' | 'workspace' | 'user',
  rule: string,
): AskOption {
  return { optionId, name: rule, kind: 'allow_always', destination, rule };
}

function ask(options: readonly AskOption[], changes: Partial<PermissionAsk> = {}) {
  const window = new FakePickWindow();
  const seen: string[] = [];
  const showDetails = ({ id }: PermissionAsk) => seen.push(id);
  const pending: PermissionAsk = {
    kind: 'permission',
    id: 'ask-1',
    toolCallId: 'call-1',
    title: 'Run the tests',
    toolKind: 'execute',
    subject: 'npm test',
    length: 8,
    suspicious: false,
    why: '',
    diff: false,
    options,
    since: 0,
    ...changes,
  };
  const surface = { window, t: english, showDetails };
  return { window, seen, result: pickPermission(surface, pending, new AbortController().signal) };
}

/** Selects an item after the quick pick is armed. */
function choose(window: FakePickWindow, label: string): void {
  window.clock.tick(ARM_DELAY);
  assert.ok(window.shown.labels.includes(label), `${label} is not offered`);
  window.shown.moveTo(label);
  window.shown.enter();
}
