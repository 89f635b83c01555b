import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SandboxStatus } from '../../../../src/acp/gatehouse/configure.ts';
import type { CurrentAsk } from '../../../../src/extension/asks/asks.ts';
import { showStatus, statusText, toBadge } from '../../../../src/extension/views/statusText.ts';
import { english } from '../english.ts';

const CURRENT: CurrentAsk = {
  sessionId: 's',
  ask: { kind: 'question', id: 'a', message: 'Which?', fields: [], since: 0 },
  source: { order: 1, agent: 'build', session: 'Fix the sum' },
  position: 1,
  total: 2,
};

const UNTESTED: SandboxStatus = { state: 'untested' };

test('the status bar shows pending requests before running turns', () => {
  const row = (running: boolean, current?: CurrentAsk) => {
    const { text, command, warning } = statusText({ running, current, sandbox: UNTESTED }, english);
    return [text, command, warning];
  };
  assert.deepEqual(row(false), ['$(shield) Gatehouse', 'gatehouse.openChat', false]);
  assert.deepEqual(row(true), ['$(sync~spin) Gatehouse', 'gatehouse.openChat', false]);
  assert.deepEqual(row(true, CURRENT), ['$(shield) 2', 'gatehouse.showPending', true]);
});

test('the status bar names the current request, its position, agent and session', () => {
  const item = { text: '', tooltip: '', command: '', backgroundColor: undefined };
  const shown = { ...item, accessibilityInformation: { label: '' } };
  showStatus(
    shown,
    statusText({ running: true, current: CURRENT, sandbox: UNTESTED }, english),
    {} as never,
  );
  assert.equal(
    shown.tooltip,
    'Gatehouse: 2 pending requests\nWhich?\n1 of 2 · build · Fix the sum',
  );
  assert.equal(
    shown.accessibilityInformation.label,
    'Gatehouse: 2 pending requests, Which?, 1 of 2 · build · Fix the sum',
  );
});

test('the tooltip says what the sandbox is, once something needed it', () => {
  const row = (sandbox: SandboxStatus) =>
    statusText({ running: false, current: undefined, sandbox }, english).tooltip.split('\n')[1];
  assert.equal(row(UNTESTED), undefined);
  assert.equal(row({ state: 'off' }), 'Sandbox: off');
  assert.equal(row({ state: 'proven' }), 'Sandbox: tested');
  assert.equal(row({ state: 'proven', required: true }), 'Sandbox: tested, and required');
  const reason = 'It is not installed.';
  assert.equal(row({ state: 'unproven', reason }), `Sandbox: not usable. ${reason}`);
});

test('the badge counts pending requests and unread answers, and tells them apart', () => {
  assert.equal(toBadge(0, 0, english), undefined);
  assert.deepEqual(toBadge(2, 1, english), {
    value: 3,
    tooltip: 'Gatehouse: 2 pending requests, 1 unread answer',
  });
  assert.deepEqual(toBadge(0, 2, english), { value: 2, tooltip: '2 unread answers' });
});
