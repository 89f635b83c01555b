import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Emitter } from '../../../../src/base/event.ts';
import {
  type PermissionPickParts,
  pickPermission,
} from '../../../../src/extension/asks/permissionPick.ts';
import type { PickOutcome } from '../../../../src/extension/asks/pickOutcome.ts';
import {
  ARM_DELAY,
  type AskAnswer,
  type AskOption,
  type OfferedRule,
  type PermissionAsk,
} from '../../../../src/webview/messages/asks.ts';
import { english } from '../english.ts';
import { settle } from '../fakeClock.ts';
import { FakePickWindow } from '../fakePick.ts';

const NOWHERE = { get: () => '', onDidChange: new Emitter<void>().event };
const ONCE: AskOption = { optionId: 'allow', name: 'Allow once', kind: 'allow_once' };
const DENY: AskOption = { optionId: 'reject', name: 'Reject', kind: 'reject_once' };
const NEVER: AskOption = {
  ...{ optionId: 'never-user', name: 'Never', kind: 'reject_always', destination: 'user' },
};
const ALL = [
  ONCE,
  { ...always('session', 'session'), covers: { kind: 'command' } as const },
  always('always-session', 'session'),
  always('always-workspace', 'workspace'),
  always('always-user', 'user'),
  DENY,
  NEVER,
];
const EXACT = offer('npm test');
const WIDE = offer('npm *');
const OFFERS = {
  allow: [{ part: 'npm test', rules: [EXACT, WIDE] }],
  deny: [{ part: 'npm test', rules: [offer('npm test', 'deny')] }],
};

test('the answers are listed in their fixed order', () => {
  const { window } = ask(ALL);
  assert.deepEqual(window.shown.labels, [
    'Show Details',
    'Allow Once',
    'For This Session: this command',
    'Always…',
    'Always Deny…',
    'Deny',
    'Deny With Reason…',
  ]);
  assert.equal(window.shown.placeholder, 'npm test');
});

test('the changes that no diff shows are chosen in a pick of their own, which answers nothing', async () => {
  const entries = ['one', 'two', 'three'].map((text, at) => {
    return { id: String(at), text, kept: at !== 2 };
  });
  const chosen: (readonly string[])[] = [];
  const keepEntries = (_: string, kept: ReadonlySet<string>) => {
    chosen.push([...kept]);
    const now = entries.map((entry) => ({ ...entry, kept: kept.has(entry.id) }));
    return pendingOf({ entries: now });
  };
  const { window, result } = ask([ONCE, DENY], { entries }, { keepEntries });
  const [, row] = window.shown.items;
  assert.equal(row?.description, '2 of 3 kept');
  assert.match(String(window.shown.items[0]?.detail), /one · two$/);
  choose(window, 'Choose Which Other Changes to Keep…');
  await settle();
  assert.deepEqual(
    window.shown.selectedItems.map(({ label }) => label),
    ['one', 'two'],
  );
  window.shown.moveTo('three');
  window.shown.enter();
  await settle();
  assert.deepEqual(chosen, [['2']]);
  assert.equal(window.shown.items[1]?.description, '1 of 3 kept');
  choose(window, 'Choose Which Other Changes to Keep…');
  await settle();
  window.shown.hide();
  await settle();
  assert.equal(window.shown.items[1]?.description, '1 of 3 kept', 'Escape changes nothing');
  choose(window, 'Allow Once');
  assert.deepEqual(await result, { kind: 'option', optionId: 'allow' });
});

test('a name that reads like an icon is shown as it is written', async () => {
  const entries = [{ id: '0', text: '`$(trash).bin`: $(sync~spin) $(npm bin) $(', kept: true }];
  const { window } = ask([ONCE, DENY], { entries, why: 'a rule about $(trash)' });
  const [details] = window.shown.items;
  assert.match(String(details?.detail), /rule about \$\u200b\(trash\) · `\$\u200b\(trash\)\.bin`/);
  choose(window, 'Choose Which Other Changes to Keep…');
  await settle();
  assert.deepEqual(window.shown.labels, ['$\u200b(trash).bin: $\u200b(sync~spin) $(npm bin) $(']);
});

test('the box shows the lines of a command and the files of an edit apart', () => {
  const shown = (own: Partial<PermissionAsk>) => ask(ALL, own).window.shown.placeholder;
  assert.equal(shown({ subject: 'cd a\nls' }), 'cd a ⏎ ls');
  assert.equal(shown({ subject: 'a.txt\nb.txt', toolKind: 'edit' }), 'a.txt, b.txt');
});

test('C-61: what the watchdog asks about is answered once, or for exactly this call', async () => {
  const exact = {
    destination: 'session',
    covers: { kind: 'exact' },
    rule: 'call:bash({})',
  } as const;
  const allow = { optionId: 'always', name: 'Always', kind: 'allow_always', ...exact } as const;
  const never = { optionId: 'never', name: 'Never', kind: 'reject_always', ...exact } as const;
  const labels = [
    ['For This Session: exactly this call', 'always'],
    ['Deny for This Session: exactly this call', 'never'],
  ] as const;
  for (const [label, optionId] of labels) {
    const { window, result } = ask([ONCE, allow, DENY, never]);
    assert.deepEqual(window.shown.labels, [
      'Show Details',
      'Allow Once',
      'For This Session: exactly this call',
      'Deny for This Session: exactly this call',
      'Deny',
      'Deny With Reason…',
    ]);
    choose(window, label);
    assert.deepEqual(await result, { kind: 'option', optionId });
  }
});

test('options that the agent does not offer are not listed', () => {
  const { window } = ask([ONCE, DENY], { diff: true });
  assert.deepEqual(window.shown.labels, [
    'Review…',
    'Allow Once',
    'Edit…',
    'Deny',
    'Deny With Reason…',
  ]);
});

test('the reason is the detail of the first item', () => {
  const { window } = ask(ALL, { why: 'No rule covers `npm test`.' });
  const [first] = window.shown.items;
  assert.deepEqual(
    [first?.label, first?.detail],
    ['Show Details', 'Reason: No rule covers `npm test`.'],
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

test('Allow Once answers with the option of the agent', async () => {
  const { window, result } = ask(ALL);
  choose(window, 'Allow Once');
  assert.deepEqual(await result, { kind: 'option', optionId: 'allow' });
});

test('always asks for pattern and destination, and can go back', async () => {
  const { window, result } = ask(ALL);
  choose(window, 'Always…');
  await settle();
  assert.deepEqual(window.shown.labels, ['bash(npm test)', 'bash(npm *)']);
  assert.match(window.shown.items[1]?.detail ?? '', /^also allows/);
  choose(window, 'bash(npm *)');
  await settle();
  assert.deepEqual(window.shown.labels, [
    'This session',
    'This workspace (workspace settings)',
    'All workspaces (user settings)',
  ]);
  window.shown.back();
  await settle();
  choose(window, 'bash(npm test)');
  await settle();
  choose(window, 'All workspaces (user settings)');
  const rules = [EXACT.rule];
  assert.deepEqual(await result, { kind: 'option', optionId: 'always-user', rules });
});

test('always deny stores a deny rule', async () => {
  const { window, result } = ask(ALL);
  choose(window, 'Always Deny…');
  await settle();
  choose(window, 'bash(npm test)');
  await settle();
  choose(window, 'All workspaces (user settings)');
  const rules = [{ permission: 'bash', pattern: 'npm test', action: 'deny' }];
  assert.deepEqual(await result, { kind: 'option', optionId: 'never-user', rules });
});

test('the parts of a compound command are offered together, each named', async () => {
  const ls = offer('ls');
  const allow = [...OFFERS.allow, { part: 'ls', rules: [ls] }];
  const { window } = ask(ALL, { offers: { ...OFFERS, allow } });
  choose(window, 'Always…');
  await settle();
  assert.deepEqual(
    window.shown.items.map(({ label, description }) => [label, description]),
    [
      ['bash(npm test)', 'npm test'],
      ['bash(npm *)', 'npm test'],
      ['bash(ls)', 'ls'],
    ],
  );
  assert.equal(window.shown.canSelectMany, true);
});

test('going back from the patterns shows the first step again', async () => {
  const { window, result } = ask(ALL);
  choose(window, 'Always…');
  await settle();
  window.shown.back();
  await settle();
  choose(window, 'Deny');
  assert.deepEqual(await result, { kind: 'option', optionId: 'reject' });
});

test('a command is edited in an input box that starts with it', async () => {
  const { window, result } = ask(ALL, { edit: { form: 'command', text: 'npm test' } });
  window.inputs.push('npm test --silent');
  choose(window, 'Edit…');
  const edited = 'npm test --silent';
  assert.deepEqual(await result, { kind: 'option', optionId: 'allow', edited });
});

test('what does not fit into one line is edited in the card', async () => {
  for (const edit of [
    { form: 'command', text: 'cat <<E\nE' },
    { form: 'json', text: '{}' },
  ] as const) {
    const { window, outcome } = ask(ALL, { edit });
    choose(window, 'Edit…');
    assert.deepEqual(await outcome, { kind: 'details' });
  }
});

test('the first row names the risky part', () => {
  const parts = [
    { text: 'rm -rf build', decision: 'ask', risk: 'destructive', reason: 'No rule.' },
  ] as const;
  const { window } = ask(ALL, { parts });
  assert.match(window.shown.items[0]?.detail ?? '', /^⚠ Deletes or overwrites: rm -rf build · /);
});

test('a reason travels with the denial', async () => {
  const { window, result } = ask(ALL);
  window.inputs.push('use pnpm');
  choose(window, 'Deny With Reason…');
  assert.deepEqual(await result, { kind: 'option', optionId: 'reject', reason: 'use pnpm' });
});

test('leaving the reason input keeps the ask pending', async () => {
  const { window, result } = ask(ALL);
  window.inputs.push(undefined);
  choose(window, 'Deny With Reason…');
  assert.equal(await result, undefined);
});

test('opening the details answers nothing', async () => {
  const { window, outcome } = ask(ALL);
  choose(window, 'Show Details');
  assert.deepEqual(await outcome, { kind: 'details' });
});

test('the title names the position in the queue, the agent and the session, as they change', () => {
  const changed = new Emitter<void>();
  let text = '1 of 3 · build · Fix the sum';
  const position = { get: () => text, onDidChange: changed.event };
  const { window } = ask(ALL, {}, { position });
  assert.equal(window.shown.title, 'Run the tests (1 of 3 · build · Fix the sum)');
  text = '1 of 4 · build · Fix the sum';
  changed.fire();
  assert.equal(window.shown.title, 'Run the tests (1 of 4 · build · Fix the sum)');
});

test('keys that land in one that opened by itself are returned', async () => {
  const { window, outcome } = ask(ALL, {}, { openedBy: 'itself' });
  window.shown.type('hello');
  window.clock.tick(300);
  assert.deepEqual(await outcome, { kind: 'typed', text: 'hello' });
});

test('hidden characters are reported beside the command', () => {
  const { window } = ask(ALL, { suspicious: true });
  assert.match(window.shown.placeholder, /hidden characters/);
});

function always(optionId: string, destination: 'session' | 'workspace' | 'user'): AskOption {
  const rule = 'bash(npm test)';
  return { optionId, name: rule, kind: 'allow_always', destination, rule };
}

function offer(pattern: string, action: 'allow' | 'deny' = 'allow'): OfferedRule {
  const alsoMatches = pattern === 'npm *' ? ['npm ci'] : [];
  const rule = { permission: 'bash', pattern, action };
  return { rule, text: `bash(${pattern})`, alsoMatches };
}

function ask(
  options: readonly AskOption[],
  changes: Partial<PermissionAsk> = {},
  parts: Partial<PermissionPickParts> = {},
) {
  const window = new FakePickWindow();
  const pending = pendingOf({ options, ...changes });
  const surface = { window, t: english, openedBy: 'user' as const, position: NOWHERE, ...parts };
  const outcome = pickPermission(surface, pending, new AbortController().signal);
  return { window, outcome, result: outcome.then(toAnswer) };
}

function pendingOf(changes: Partial<PermissionAsk>): PermissionAsk {
  return {
    kind: 'permission',
    id: 'ask-1',
    toolCallId: 'call-1',
    title: 'Run the tests',
    toolKind: 'execute',
    subject: 'npm test',
    length: 8,
    suspicious: false,
    why: '',
    ...{ diff: false, diffs: [], parts: [], offers: OFFERS },
    options: [ONCE, DENY],
    since: 0,
    ...changes,
  };
}

/** Undefined while the request is still pending. */
function toAnswer(outcome: PickOutcome): AskAnswer | undefined {
  return outcome.kind === 'answered' ? outcome.answer : undefined;
}

/** Selects an item after the quick pick is armed. */
function choose(window: FakePickWindow, label: string): void {
  window.clock.tick(ARM_DELAY);
  assert.ok(window.shown.labels.includes(label), `${label} is not offered`);
  window.shown.moveTo(label);
  window.shown.enter();
}
