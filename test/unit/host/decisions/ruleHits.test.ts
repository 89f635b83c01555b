import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Clock } from '../../../../src/base/clock.ts';
import { openRuleHits } from '../../../../src/host/decisions/ruleHits.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';
import { connect, newSession, prompt, temporary } from '../harness.ts';

const RULE: Rule = { permission: 'bash', pattern: 'npm *', action: 'allow', source: 'project' };

function manualClock(): Clock & { time: number; run(): void } {
  let due: (() => void) | undefined;
  return {
    time: 1_000,
    now() {
      return this.time;
    },
    after(_ms, run) {
      due = run;
      return { dispose: () => (due = undefined) };
    },
    run() {
      due?.();
    },
  };
}

const hit = (rule: Rule, sessionId = 's') => ({
  sessionId,
  rule,
  subjects: [{ permission: 'bash', target: 'npm test', decision: 'allow' as const, rule }],
});

test('a decision counts each of its rules once, and hosts add up', async (t) => {
  const file = path.join(await temporary(t), 'state', 'hits.json');
  const clock = manualClock();
  const [one, two] = [1, 2].map(() => openRuleHits(file, { warn: assert.fail, clock }));
  one?.note(hit(RULE));
  one?.note(hit(RULE));
  assert.deepEqual(one?.find(RULE, 's'), { hits: 2, lastUsed: 1_000 });
  assert.equal(existsSync(file), false, 'nothing is written during a call');
  clock.run();
  clock.time = 5_000;
  two?.note(hit(RULE));
  two?.flush();
  one?.note(hit(RULE));
  assert.deepEqual(one?.find({ ...RULE, added_at: 4 }, 'other'), { hits: 4, lastUsed: 5_000 });
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('rules of other words or places, and those of sessions, are counted apart', async (t) => {
  const hits = openRuleHits(path.join(await temporary(t), 'hits.json'), { warn: assert.fail });
  const session: Rule = { ...RULE, origin: { layer: 'session', index: 0 } };
  hits.note(hit(RULE));
  hits.note(hit(session));
  hits.flush();
  const count = (rule: Rule, id = 's') => hits.find(rule, id)?.hits;
  assert.deepEqual(
    [
      count(RULE),
      count({ ...RULE, action: 'deny' }),
      count({ ...RULE, origin: { layer: 'user', file: '/u', index: 0 } }),
      count(session),
      count(session, 'other'),
    ],
    [1, undefined, undefined, 1, undefined],
  );
});

for (const [what, text] of [
  ['no JSON', '{'],
  ['another shape', '{"a":["x",1]}'],
  ['a list', '[]'],
] as const) {
  test(`a file with ${what} counts from zero, is kept aside and warns once`, async (t) => {
    const file = path.join(await temporary(t), 'hits.json');
    writeFileSync(file, text);
    const warnings: string[] = [];
    const hits = openRuleHits(file, { warn: (message) => warnings.push(message) });
    assert.equal(hits.find(RULE, 's'), undefined);
    hits.note(hit(RULE));
    hits.flush();
    hits.note(hit(RULE));
    hits.flush();
    assert.equal(hits.find(RULE, 's')?.hits, 2);
    assert.equal(readFileSync(`${file}.damaged`, 'utf8'), text);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /start at zero/);
  });
}

test('hits that cannot be written are kept, and written later', async (t) => {
  const folder = await temporary(t);
  const place = path.join(folder, 'state');
  writeFileSync(place, '');
  const warnings: string[] = [];
  const hits = openRuleHits(path.join(place, 'hits.json'), {
    warn: (message) => warnings.push(message),
  });
  hits.note(hit(RULE));
  hits.flush();
  hits.flush();
  assert.deepEqual([warnings.length, hits.find(RULE, 's')?.hits], [1, 1]);
  const other = openRuleHits(path.join(folder, 'hits.json'), { warn: assert.fail });
  other.note(hit(RULE));
  other.dispose();
  mkdirSync(path.join(folder, 'again'));
  assert.equal(
    openRuleHits(path.join(folder, 'hits.json'), { warn: assert.fail }).find(RULE, 's')?.hits,
    1,
  );
});

interface Page {
  readonly total: number;
  readonly permissions: readonly { readonly permission: string; readonly count: number }[];
  readonly rules: readonly Record<string, unknown>[];
}

test('the host lists rules with hits, last use and state, in pages', async (t) => {
  const data = await temporary(t);
  const user = path.join(data, 'settings.json');
  const many = Array.from({ length: 10_000 }, (_, at) => ({
    ...{ permission: 'bash', pattern: `tool-${at} run`, action: 'ask' },
  }));
  const own = [
    { permission: 'bash', pattern: 'touch *', action: 'allow' },
    { permission: 'bash', pattern: 'x', action: 'alow' },
  ];
  writeFileSync(user, JSON.stringify({ permissions: [...own, ...many] }));
  const script = [
    { calls: [{ tool: 'bash', input: { command: 'touch a.txt' } }] },
    { text: 'Done.' },
  ];
  const host = await connect(t, { data, script });
  const place = path.join(host.workspace, '.vscode');
  mkdirSync(place);
  const waiting = { permission: 'bash', pattern: 'frob *', action: 'allow' };
  writeFileSync(
    path.join(place, 'settings.json'),
    JSON.stringify({ 'gatehouse.permissions': [waiting] }),
  );
  const sessionId = await newSession(host);
  const list = (query: object) =>
    host.agent.request<Page>('_gatehouse/rules', { sessionId, ...query });
  await prompt(host, sessionId);

  const { rules } = await list({ file: user, text: 'touch' });
  assert.deepEqual(
    rules.map(({ pattern, hits, lastUsed, state }) => [pattern, hits, typeof lastUsed, state]),
    [['touch *', 1, 'number', undefined]],
  );
  const [broken] = (await list({ text: 'ask bash x' })).rules;
  assert.equal(broken?.['state'], 'broken');
  assert.match(String(broken?.['problem']), /"action" must be/);
  const [waits] = (await list({ text: 'FROB' })).rules;
  assert.deepEqual([waits?.['state'], waits?.['hits']], ['waiting', 0]);
  assert.equal(Object(waits?.['origin']).layer, 'workspace');

  const all = await list({ file: user, limit: 0 });
  assert.deepEqual([all.total, all.rules.length], [10_002, 0]);
  assert.deepEqual(all.permissions, [{ permission: 'bash', count: 10_002 }]);
  const pages = await Promise.all([0, 500].map((offset) => list({ file: user, offset })));
  const patterns = pages.flatMap((page) => page.rules.map(({ pattern }) => pattern));
  assert.equal(new Set(patterns).size, 1_000);
  const folders = await host.agent.request<Page>('_gatehouse/rules', { text: 'touch *' });
  assert.ok(folders.total >= 1, 'without a session, the rules of the open folders are listed');
});
