import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseResolveResult } from '../../../src/acp/gatehouse/pending.ts';
import { edit, OLD, start } from './afterwards.ts';
import { prompt, temporary, until } from './harness.ts';

test('edits that no rule covers are written at once and await a review', async (t) => {
  const run = await start(t, {
    replies: [
      {
        calls: [
          edit('a.txt', 1, 'ONE\n'),
          edit('a.txt', 9, 'NINE\n'),
          { tool: 'write', input: { path: 'new.txt', content: 'hello\n' } },
        ],
      },
      { text: 'Done.' },
    ],
    files: { 'a.txt': OLD },
  });
  await prompt(run.host, run.sessionId);
  assert.equal(run.asks.length, 0);
  const written = OLD.replace('line 1\n', 'ONE\n').replace('line 9\n', 'NINE\n');
  assert.equal(run.text('a.txt'), written);
  assert.equal(run.text('new.txt'), 'hello\n');
  assert.ok(run.body(1).includes('on disk, but the user has not reviewed it yet'));
  const list = run
    .list()
    .map(({ path: file, revision: _, ...rest }) => [path.basename(file), rest]);
  assert.deepEqual(list, [
    ['a.txt', { kind: 'changed', hunks: 2, added: 2, removed: 2 }],
    ['new.txt', { kind: 'created', hunks: 1, added: 1, removed: 0 }],
  ]);
  const { before, after } = await run.texts('a.txt');
  assert.deepEqual({ before, after }, { before: OLD, after: written });
});

test('undone hunks leave the file and reach the model once, kept ones stay', async (t) => {
  const calls = [edit('a.txt', 1, 'ONE\n'), edit('a.txt', 5, 'FIVE\n'), edit('a.txt', 9, 'NINE\n')];
  const run = await start(t, {
    replies: [
      { calls: [...calls, { tool: 'write', input: { path: 'new.txt', content: 'hello\n' } }] },
      { text: 'Done.' },
      { text: 'Understood.' },
      { text: 'Yes.' },
    ],
    files: { 'a.txt': OLD },
  });
  await prompt(run.host, run.sessionId);
  await run.resolve('keep', [2], 'a.txt');
  // The user goes on typing.
  writeFileSync(run.at('a.txt'), `${run.text('a.txt')}mine\n`);
  const undone = await run.resolve('undo', [0], 'a.txt');
  assert.deepEqual(undone, { written: [run.at('a.txt')], conflicts: [], outdated: [] });
  const expected = OLD.replace('line 5\n', 'FIVE\n').replace('line 9\n', 'NINE\n');
  assert.equal(run.text('a.txt'), `${expected}mine\n`);
  await run.resolve('undo', undefined, 'new.txt');
  assert.equal(run.text('new.txt'), undefined);
  assert.deepEqual(
    run.list().map(({ path: file, hunks }) => [path.basename(file), hunks]),
    [['a.txt', 1]],
  );
  await prompt(run.host, run.sessionId);
  const body = run.body(2);
  assert.equal(body.split('undid these').length, 2);
  assert.ok(body.includes('ONE'), 'the undone text');
  assert.ok(body.includes('the file was deleted again'));
  // Told once: later requests only repeat the history.
  await prompt(run.host, run.sessionId);
  assert.equal(run.body(3).split('undid these').length, 2);
});

test('undo never loses what the user typed: a conflict changes nothing', async (t) => {
  const run = await start(t, {
    replies: [
      {
        calls: [
          edit('a.txt', 1, 'ONE\n'),
          { tool: 'write', input: { path: 'new.txt', content: 'hello\n' } },
        ],
      },
      { text: 'Done.' },
    ],
    files: { 'a.txt': OLD },
  });
  await prompt(run.host, run.sessionId);
  writeFileSync(run.at('new.txt'), 'hello\nmine\n');
  const all = await run.resolve('undo');
  assert.deepEqual(all, { written: [], conflicts: [run.at('new.txt')], outdated: [] });
  assert.equal(run.text('a.txt'), OLD.replace('line 1\n', 'ONE\n'));
  assert.equal(run.text('new.txt'), 'hello\nmine\n');
  assert.equal(run.list().length, 2);
});

test('a decision about other changes than the user saw changes nothing', async (t) => {
  const run = await start(t, {
    replies: [
      { calls: [edit('a.txt', 1, 'ONE\n')] },
      { text: 'Done.' },
      { calls: [edit('a.txt', 9, 'NINE\n')] },
      { text: 'Done.' },
    ],
    files: { 'a.txt': OLD },
  });
  await prompt(run.host, run.sessionId);
  const [seen] = run.list();
  assert.ok(seen);
  await prompt(run.host, run.sessionId);
  const files = [{ path: seen.path, revision: seen.revision }];
  for (const decision of ['keep', 'undo']) {
    const params = { sessionId: run.sessionId, decision, files };
    const result = await run.host.agent.request('_gatehouse/resolve_changes', params);
    assert.deepEqual(parseResolveResult(result).outdated, [run.at('a.txt')]);
  }
  assert.equal(run.list()[0]?.hunks, 2);
  await run.resolve('undo');
  assert.equal(run.text('a.txt'), OLD);
});

test('a rule that asks and protected files are asked about before, a path outside is not written', async (t) => {
  const outside = path.join(await temporary(t), 'o.txt');
  const rules = [{ permission: 'edit', pattern: '*.lock', action: 'ask' }];
  const targets = ['a.lock', '.vscode/settings.json', '.git/hooks/pre-commit', outside];
  for (const target of targets) {
    const run = await start(t, {
      replies: [
        { calls: [{ tool: 'write', input: { path: target, content: 'x\n' } }] },
        { text: 'Done.' },
      ],
      files: { 'a.lock': 'old\n' },
      settings: { permissions: rules.concat({ ...rules[0], permission: 'write' } as never) },
    });
    await prompt(run.host, run.sessionId);
    // The session's capabilities don't reach files outside, so the call is refused.
    assert.equal(run.asks.length, target === outside ? 0 : 1, `${target} was not asked about`);
    assert.equal(run.list().length, 0);
    assert.equal(run.text('a.lock'), 'old\n');
    assert.equal(existsSync(outside), false);
  }
});

test('a deny rule denies, and holds for undo', async (t) => {
  const denied = [{ permission: 'write', pattern: '*.txt', action: 'deny' }];
  const run = await start(t, {
    replies: [
      { calls: [{ tool: 'write', input: { path: 'a.txt', content: 'x\n' } }] },
      { text: 'Done.' },
    ],
    settings: { permissions: denied },
  });
  await prompt(run.host, run.sessionId);
  assert.equal(run.text('a.txt'), undefined);
  assert.equal(run.asks.length, 0);
  assert.equal(run.list().length, 0);

  const later = await start(t, {
    replies: [
      { calls: [{ tool: 'write', input: { path: 'b.txt', content: 'x\n' } }] },
      { text: 'Done.' },
    ],
  });
  await prompt(later.host, later.sessionId);
  const settings = { 'review.mode': 'afterwards', permissions: denied };
  writeFileSync(path.join(later.host.data, 'settings.json'), JSON.stringify(settings));
  await assert.rejects(later.resolve('undo'));
  assert.equal(later.text('b.txt'), 'x\n');
  assert.equal(later.list().length, 1);
});

test('an allowed edit needs no review, and a client without one is asked about each edit', async (t) => {
  const replies = [
    { calls: [{ tool: 'write', input: { path: 'a.txt', content: 'x\n' } }] },
    { text: 'Done.' },
  ];
  const permissions = [{ permission: 'write', pattern: '*', action: 'allow' }];
  const run = await start(t, { replies, settings: { permissions } });
  await prompt(run.host, run.sessionId);
  assert.equal(run.text('a.txt'), 'x\n');
  assert.equal(run.list().length, 0);

  const plain = await start(t, { replies, capabilities: {}, allow: true });
  await prompt(plain.host, plain.sessionId);
  assert.equal(plain.asks.length, 1);
  await until(() => plain.host.warnings.length > 0, 'the user is told');
});

test('reverting a call takes its changes off the list', async (t) => {
  const run = await start(t, {
    replies: [{ calls: [{ ...edit('a.txt', 1, 'ONE\n'), id: 'call-1' }] }, { text: 'Done.' }],
    files: { 'a.txt': OLD },
  });
  await prompt(run.host, run.sessionId);
  const params = { sessionId: run.sessionId, toolCallId: 'call-1' };
  await run.host.agent.request('_gatehouse/revert', params);
  assert.equal(run.text('a.txt'), OLD);
  await until(() => run.list().length === 0, 'nothing is left to review');
});
