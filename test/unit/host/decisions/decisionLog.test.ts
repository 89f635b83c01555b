import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { DecisionEvent } from '../../../../src/gate/decisionEvent.ts';
import { openDecisionLog } from '../../../../src/host/decisions/decisionLog.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';
import { type Connected, connect, newSession, prompt, temporary } from '../harness.ts';

const USER: Rule = {
  ...{ permission: 'bash', pattern: 'npm *', action: 'allow', source: 'project' },
  origin: { layer: 'user', file: '/u', index: 0 },
};
const SHIPPED: Rule = {
  ...{ permission: 'bash', pattern: 'ls *', action: 'allow', source: 'manifest' },
  origin: { layer: 'default', index: 0 },
};

const EVENT: DecisionEvent = {
  ...{ sessionId: 'ses_1', toolCallId: 'call-1', tool: 'bash', about: 'call', decision: 'allow' },
  ...{ by: 'rule', layer: 'rules', reason: 'A rule allows it.', paths: [], durationMs: 3 },
  subjects: [{ permission: 'bash', target: 'npm test', decision: 'allow', rule: USER }],
  rules: [SHIPPED, USER],
};

const plain = (text: string) => text;

test('a decision refers to the rules in force, and each list is stored once', async (t) => {
  const folder = path.join(await temporary(t), 'log');
  const log = openDecisionLog({ folder, redact: plain, warn: assert.fail });
  log.write(EVENT);
  log.write({ ...EVENT, rules: [SHIPPED, USER] });
  log.write({ ...EVENT, rules: [SHIPPED] });
  const { lines } = await log.read('ses_1');
  const refs = lines.map((line) => Object(line['rules']));
  assert.equal(lines.length, 3);
  assert.deepEqual(refs[0], refs[1]);
  assert.deepEqual(Object.keys(refs[2]), ['default']);
  assert.equal(readdirSync(path.join(folder, 'rules')).length, 2, 'one shipped, one of the user');
  assert.deepEqual(log.rules(refs[0]), [SHIPPED, USER]);
  assert.equal(statSync(path.join(folder, 'ses_1.jsonl')).mode & 0o777, 0o600);
  assert.equal(lines[0]?.['event'], 'permission.evaluate');
});

test('secrets are replaced in decisions and in rules', async (t) => {
  const folder = path.join(await temporary(t), 'log');
  const redact = (text: string) => text.replaceAll('hunter2', '***');
  const log = openDecisionLog({ folder, redact, warn: assert.fail });
  const secret = { ...USER, pattern: 'login hunter2' };
  log.write({ ...EVENT, reason: 'login hunter2', rule: secret, rules: [secret] });
  await log.close();
  const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.json/.test(name))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'));
  assert.equal(texts.length, 2);
  assert.doesNotMatch(texts.join(''), /hunter2/);
  assert.match(texts.join(''), /login \*\*\*/);
});

test('a full log is renamed, and the oldest logs are dropped', async (t) => {
  const folder = path.join(await temporary(t), 'log');
  const options = { folder, redact: plain, warn: assert.fail, fullAt: 500, most: 1 };
  const log = openDecisionLog(options);
  for (let at = 0; at < 6; at += 1) {
    log.write({ ...EVENT, toolCallId: `call-${at}` });
    await log.read('ses_1');
  }
  const { lines } = await log.read('ses_1');
  assert.ok(lines.length >= 2 && lines.length < 6, `${lines.length} decisions are left`);
  assert.equal(lines.at(-1)?.['toolCallId'], 'call-5');
  for (const sessionId of ['ses_2', 'ses_3']) log.write({ ...EVENT, sessionId });
  await log.close();
  const next = openDecisionLog(options);
  next.write(EVENT);
  await next.close();
  const logs = readdirSync(folder).filter((name) => name.includes('.jsonl'));
  assert.ok(logs.length <= 3, logs.join(', '));
});

test('damaged lines are counted, and a cut line does not spoil the next', async (t) => {
  const folder = path.join(await temporary(t), 'log');
  const log = openDecisionLog({ folder, redact: plain, warn: assert.fail });
  log.write(EVENT);
  await log.read('ses_1');
  appendFileSync(path.join(folder, 'ses_1.jsonl'), '[1]\n{"event":"perm');
  log.write({ ...EVENT, toolCallId: 'call-2' });
  const { lines, damaged } = await log.read('ses_1');
  assert.deepEqual([lines.map((line) => line['toolCallId']), damaged], [['call-1', 'call-2'], 2]);
});

for (const [what, spoil] of [
  ['is no folder', (folder: string) => writeFileSync(folder, '')],
  [
    'holds a folder by the name of a log',
    (folder: string) => mkdirSync(path.join(folder, 'ses_1.jsonl'), { recursive: true }),
  ],
] as const) {
  test(`a log whose place ${what} warns once and stops no call`, async (t) => {
    const folder = path.join(await temporary(t), 'log');
    spoil(folder);
    const warnings: string[] = [];
    const log = openDecisionLog({ folder, redact: plain, warn: (text) => warnings.push(text) });
    log.write(EVENT);
    await log.read('ses_1');
    log.write(EVENT);
    await log.close();
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /^Decisions are not logged: /);
  });
}

test('an id that is no name never leaves the folder', async (t) => {
  const root = await temporary(t);
  const log = openDecisionLog({ folder: path.join(root, 'log'), redact: plain, warn: assert.fail });
  log.write({ ...EVENT, sessionId: '../../x' });
  await log.close();
  assert.deepEqual(readdirSync(root), ['log']);
  assert.equal((await log.read('../../x')).lines.length, 1);
});

interface List {
  readonly decisions: readonly Record<string, unknown>[];
  readonly damaged: number;
}

function list(host: Connected, query: object): Promise<List> {
  return host.agent.request<List>('_gatehouse/decisions', query);
}

test('the host logs what it decided and by which rules, also for a later host', async (t) => {
  const data = await temporary(t);
  const deny = { permission: 'bash', pattern: 'rm *', action: 'deny' };
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify({ permissions: [deny] }));
  const workspace = await temporary(t);
  const token = `ghp_${'a'.repeat(36)}`;
  const script = [
    { calls: [{ tool: 'bash', input: { command: 'rm a' }, id: 'c1' }] },
    { calls: [{ tool: 'bash', input: { command: `frob ${token}` }, id: 'c2' }] },
    { text: 'Done.' },
  ];
  const permission = () => ({ outcome: { outcome: 'selected', optionId: 'reject' } as const });
  const host = await connect(t, { data, workspace, script, client: { permission } });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  await host.stop();

  const later = await connect(t, { data, workspace });
  const { decisions } = await list(later, { sessionId });
  assert.deepEqual(
    decisions.map(({ toolCallId, decision, by }) => [toolCallId, decision, by]),
    [
      ['c1', 'deny', 'rule'],
      ['c2', 'deny', 'user'],
    ],
  );
  assert.doesNotMatch(JSON.stringify(decisions), /ghp_/);
  const [one] = (await list(later, { sessionId, toolCallId: 'c1' })).decisions;
  const inForce: readonly unknown[] = Object(one?.['inForce']);
  assert.deepEqual(
    inForce.map((rule) => Object(rule).pattern),
    ['rm *'],
  );
  assert.deepEqual(Object.keys(Object(one?.['rules'])).length, 2);
});
