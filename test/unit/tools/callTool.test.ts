import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Chunk } from '../../../src/base/stream/chunk.ts';
import type { AskReply } from '../../../src/gate/ask.ts';
import type { Rule } from '../../../src/permissions/rules/rule.ts';
import type { Tool } from '../../../src/tools/contract.ts';
import { ALLOW_ALL, openBed } from './bed.ts';
import { dataOf, errorOf, fakeTool, openSession } from './session.ts';

test('an allowed call shows that it runs, then what came out', async () => {
  using bed = openBed();
  writeFileSync(path.join(bed.workspace, 'a.txt'), 'one\ntwo\n');
  await using session = openSession(bed, { rules: ALLOW_ALL });
  await session.call('edit', { path: 'a.txt', old_string: 'two', new_string: 'three' });
  assert.deepEqual(
    session.chunks.map(({ type }) => type),
    ['tool-progress', 'tool-progress', 'tool-output-available'],
  );
  assert.deepEqual(displayOf(session.chunks[0]), {
    title: 'Edit a.txt',
    kind: 'edit',
    locations: [{ path: path.join(bed.workspace, 'a.txt') }],
    rule: { permission: '*', pattern: '*', action: 'allow', source: 'session' },
    layer: 'rules',
  });
  const { locations, content } = Object(displayOf(session.chunks[2]));
  const file = path.join(bed.workspace, 'a.txt');
  assert.deepEqual(locations, [{ path: file, line: 2 }]);
  assert.deepEqual(content, [
    { type: 'diff', path: file, oldText: 'one\ntwo\n', newText: 'one\nthree\n', line: 1 },
  ]);
});

test('an asked call shows its diff first, and nothing is on disk before the answer', async () => {
  using bed = openBed();
  const file = path.join(bed.workspace, 'new.txt');
  let before: boolean | undefined;
  await using session = openSession(bed, {
    ask: async () => {
      before = existsSync(file);
      return { outcome: 'allow' };
    },
  });
  dataOf(await session.call('write', { path: 'new.txt', content: 'text' }));
  assert.equal(before, false);
  assert.equal(readFileSync(file, 'utf8'), 'text');
  assert.equal(session.chunks[0]?.type, 'tool-approval-request');
  assert.deepEqual(Object(displayOf(session.chunks[0])).content, [
    { type: 'diff', path: file, newText: 'text', line: 1 },
  ]);
  assert.equal(session.asks[0]?.preview?.changes[0]?.newText, 'text');
});

test('a rejection reaches the model with its reason, and nothing is written', async () => {
  using bed = openBed();
  await using session = openSession(bed, {
    ask: async () => ({ outcome: 'reject', reason: 'use the other file' }),
  });
  const error = errorOf(await session.call('write', { path: 'a', content: 'x' }));
  assert.equal(error, 'The user rejected this call: use the other file');
  const last = session.chunks.at(-1);
  assert.ok(last?.type === 'tool-output-denied');
  assert.deepEqual([last.reason, last.display?.title], ['use the other file', 'Write a']);
  assert.ok(!existsSync(path.join(bed.workspace, 'a')));
});

test('a card names the rules that allowed a call, and none when the user did', async () => {
  using bed = openBed();
  const rules: readonly Rule[] = [
    { permission: 'bash', pattern: 'echo *', action: 'allow', source: 'session' },
    { permission: 'bash', pattern: 'true', action: 'allow', source: 'session' },
    { permission: 'bash', pattern: 'uname', action: 'ask', source: 'session' },
  ];
  await using session = openSession(bed, { rules, ask: async () => ({ outcome: 'allow' }) });
  const patterns = async (command: string) => {
    dataOf(await session.call('bash', { command }));
    const display = Object(displayOf(session.chunks.at(-1)));
    return [display.rule?.pattern, display.rules?.map(({ pattern }: Rule) => pattern)];
  };
  assert.deepEqual(await patterns('echo a'), ['echo *', undefined]);
  assert.deepEqual(await patterns('echo a; true; echo b'), ['echo *', ['echo *', 'true']]);
  assert.deepEqual(await patterns('uname'), [undefined, undefined]);
});

test('an edited call starts again at validation, and is asked about as it is now', async () => {
  using bed = openBed();
  const replies: AskReply[] = [
    { outcome: 'allow', editedInput: { command: 5 } },
    { outcome: 'allow' },
  ];
  await using session = openSession(bed, {
    ask: async () => replies.shift() ?? { outcome: 'cancelled' },
  });
  const first = await session.call('bash', { command: 'echo one' });
  assert.match(errorOf(first), /command must be string/);

  replies.unshift({ outcome: 'allow', editedInput: { command: 'echo two' } });
  const second = await session.call('bash', { command: 'echo one' });
  assert.equal(dataOf(second)['output'], 'two\n');
  assert.deepEqual(
    session.asks.map(({ input }) => Object(input).command),
    ['echo one', 'echo one', 'echo two'],
  );
});

test("a tool gets the model's own text of its arguments, and none after an edit or without a model", async () => {
  using bed = openBed();
  const texts: (string | undefined)[] = [];
  const tool = fakeTool({
    id: 'raw',
    execute: async (_, { inputText }) => {
      texts.push(inputText);
      return { ok: true, data: {} };
    },
  });
  const replies: AskReply[] = [];
  await using session = openSession(bed, {
    extra: [tool],
    ask: async () => replies.shift() ?? { outcome: 'allow' },
  });
  const call = (inputText?: string) =>
    session.call('raw', JSON.parse(RAW), new AbortController().signal, inputText);
  await call(RAW);
  await call();
  replies.push({ outcome: 'allow', editedInput: JSON.parse(RAW) });
  await call(RAW);
  assert.deepEqual(texts, [RAW, undefined, undefined]);
});

/** What parsing would change: a large integer, an overflow, the order of names, blanks. */
const RAW = '{ "n": 12345678901234567890, "x": 1e400, "b": 1, "2": 2.0 }';

test('an edited call cannot leave what capabilities grant', async () => {
  using bed = openBed();
  writeFileSync(path.join(bed.outside, 'secret'), 'outside-secret');
  await using session = openSession(bed, {
    capabilities: { fs: { read: ['{workspace}/**'] } },
    ask: async () => ({ outcome: 'allow', editedInput: { path: '../outside/secret' } }),
  });
  writeFileSync(path.join(bed.workspace, 'a'), 'text');
  assert.match(
    errorOf(await session.call('read', { path: 'a' })),
    /The agent's capabilities don't allow/,
  );
});

test('a file that changed while the user looked is a conflict', async () => {
  using bed = openBed();
  const file = path.join(bed.workspace, 'a.txt');
  writeFileSync(file, 'one\n');
  await using session = openSession(bed, {
    ask: async () => {
      writeFileSync(file, 'one\nand more\n');
      return { outcome: 'allow' };
    },
  });
  const input = { path: 'a.txt', old_string: 'one', new_string: 'two' };
  assert.match(errorOf(await session.call('edit', input)), /changed while you waited/);
  assert.equal(readFileSync(file, 'utf8'), 'one\nand more\n');
});

test('CA-37 a link that is swapped while the user looks leads to no other file', async () => {
  using bed = openBed();
  const { symlinkSync, unlinkSync } = await import('node:fs');
  writeFileSync(path.join(bed.outside, 'secret'), 'outside-secret');
  writeFileSync(path.join(bed.workspace, 'a'), 'inside');
  const link = path.join(bed.workspace, 'link');
  symlinkSync('a', link);
  await using session = openSession(bed, {
    ask: async () => {
      unlinkSync(link);
      symlinkSync(path.join(bed.outside, 'secret'), link);
      return { outcome: 'allow' };
    },
  });
  const { content } = dataOf(await session.call('read', { path: 'link' }));
  assert.match(String(content), /inside$/, 'the file that was asked about is opened');
  assert.deepEqual(session.asks[0]?.locations, [{ path: path.join(bed.workspace, 'a') }]);
});

test('CA-37 a file that a link replaced while the user looks is not followed', async () => {
  using bed = openBed();
  const { symlinkSync, unlinkSync } = await import('node:fs');
  writeFileSync(path.join(bed.workspace, 'other'), 'another-file');
  const file = path.join(bed.workspace, 'a');
  writeFileSync(file, 'inside');
  const rules = [{ permission: 'read', pattern: 'a', action: 'ask' }, ...ALLOW_ALL];
  await using session = openSession(bed, {
    rules,
    ask: async () => {
      unlinkSync(file);
      symlinkSync('other', file);
      return { outcome: 'allow' };
    },
  });
  const first = errorOf(await session.call('read', { path: 'a' }));
  assert.match(first, /replaced by a link/);
  assert.doesNotMatch(first, /another-file/);
  dataOf(await session.call('read', { path: 'a' }));
  assert.deepEqual(
    session.asks.flatMap(({ locations }) => locations?.map((at) => path.basename(at.path))),
    ['a', 'other'],
    'the next call is evaluated by where the link leads',
  );
});

test('an abort ends a pending ask as an error, and a later click does nothing', async () => {
  using bed = openBed();
  const abort = new AbortController();
  let click: (() => void) | undefined;
  await using session = openSession(bed, {
    ask: () => {
      queueMicrotask(() => abort.abort());
      return new Promise((resolve) => {
        click = () => resolve({ outcome: 'allow' });
      });
    },
  });
  const input = { path: 'a', content: 'x' };
  assert.match(
    errorOf(await session.call('write', input, abort.signal)),
    /cancelled before it ran/,
  );
  click?.();
  await new Promise(setImmediate);
  assert.ok(!existsSync(path.join(bed.workspace, 'a')));
});

test('a hanging tool is stopped at its limit, and what it started is aborted', async () => {
  using bed = openBed();
  let told = false;
  const tool = fakeTool({
    id: 'hangs',
    hangAfterMs: () => 50,
    execute: (_args, { signal }) => {
      signal.addEventListener('abort', () => {
        told = true;
      });
      return new Promise(() => undefined);
    },
  });
  await using session = openSession(bed, { rules: ALLOW_ALL, extra: [tool] });
  assert.match(errorOf(await session.call('hangs', {})), /did not finish within 50 ms/);
  assert.ok(told);
});

for (const [name, hangs] of [
  ['hangs', () => new Promise<never>(() => undefined)],
  ['is none', async () => 'text'],
] as const) {
  test(`a preview that ${name} ends the call, and nobody is asked`, async () => {
    using bed = openBed();
    // What a foreign tool gives may be anything, whatever its type says.
    const preview = hangs as NonNullable<Tool['preview']>;
    const tool = fakeTool({ id: 'shows', preview });
    const ask = async () => ({ outcome: 'allow' }) as const;
    const limits = { toolTimeoutMs: 50 };
    await using session = openSession(bed, { extra: [tool], ask, limits });
    assert.match(errorOf(await session.call('shows', {})), /within 50 ms|returned no preview/);
    assert.deepEqual(session.asks, []);
  });
}

test('a limit that is no number is no licence to hang', async () => {
  using bed = openBed();
  const execute = () => new Promise<never>(() => undefined);
  const tool = fakeTool({ id: 'hangs', hangAfterMs: () => Number.NaN, execute });
  await using session = openSession(bed, { rules: ALLOW_ALL, extra: [tool] });
  assert.match(errorOf(await session.call('hangs', {})), /was stopped/);
});

test('an error of 300 KB keeps its head, and the rest is in a file', async () => {
  using bed = openBed();
  const tool = fakeTool({
    id: 'talks',
    execute: async () => ({ ok: false, error: 'e'.repeat(300_000) }),
  });
  await using session = openSession(bed, { rules: ALLOW_ALL, extra: [tool] });
  const envelope = await session.call('talks', {});
  assert.equal(errorOf(envelope).length, 204_800);
  assert.equal(envelope.metadata.truncated, true);
  assert.equal(readFileSync(envelope.metadata.output_path ?? '', 'utf8').length, 300_000);
});

test('a watchdog that throws denies with its fixed reason', async () => {
  using bed = openBed();
  await using session = openSession(bed, {
    rules: ALLOW_ALL,
    watchdog: async () => {
      throw new Error('internal detail');
    },
  });
  const error = errorOf(await session.call('todo', { items: [] }));
  const fixed = 'The watchdog gave no valid answer, so the call is denied.';
  assert.ok(error.startsWith(fixed));
  // The model is told how to go on; a person is not.
  assert.match(error, /denied\. Do not retry it in another form/);
  const last = session.chunks.at(-1);
  assert.equal(last?.type === 'tool-output-denied' && last.reason, fixed);
});

test('a watchdog that asks makes an allowed call wait for the user', async () => {
  using bed = openBed();
  await using session = openSession(bed, {
    rules: ALLOW_ALL,
    watchdog: async () => ({ action: 'ask', reason: 'looks odd' }),
    ask: async () => ({ outcome: 'reject' }),
  });
  assert.match(errorOf(await session.call('todo', { items: [] })), /The user rejected this call/);
  assert.equal(session.asks[0]?.decision.reason, 'looks odd');
});

test('where the watchdog asks, only an answer for exactly this call can be stored', async () => {
  using bed = openBed();
  const ask = async () => ({ outcome: 'reject' }) as const;
  const watchdog = async () => ({ action: 'ask', reason: 'looks odd' }) as const;
  const offered = [];
  for (const options of [{ ask }, { ask, watchdog }]) {
    await using session = openSession(bed, options);
    await session.call('bash', { command: 'ls' });
    const { decision } = session.asks[0] ?? {};
    const rules = decision?.offers().allow.flatMap(({ patterns }) => patterns);
    offered.push([decision?.candidates().length, rules?.map(({ rule }) => rule.permission)]);
  }
  assert.deepEqual(offered, [
    [1, ['bash']],
    [0, ['call:bash']],
  ]);
});

test('a search shows nothing of a file that may not be read, or only after an ask, with a user or without', async () => {
  using bed = openBed();
  for (const name of ['secret', 'a', 'b']) writeFileSync(path.join(bed.workspace, name), 'needle');
  const rules = [
    { permission: 'grep', pattern: '**', action: 'allow' },
    { permission: 'read', pattern: '**/secret', action: 'deny' },
    { permission: 'read', pattern: 'b', action: 'ask' },
  ];
  for (const options of [{ rules, ask: async () => ({ outcome: 'reject' }) as const }, { rules }]) {
    await using session = openSession(bed, options);
    const { matches } = dataOf(await session.call('grep', { pattern: 'needle' })) as {
      matches: readonly { readonly path: string }[];
    };
    assert.deepEqual(matches.map((match) => path.basename(match.path)).sort(), ['a']);
  }
});

test('a command that may only run in a copy is not run while there is none', async () => {
  using bed = openBed();
  const rules = [{ permission: 'copy', pattern: 'bash *', action: 'allow' }];
  const ask = async () => ({ outcome: 'allow' }) as const;
  await using session = openSession(bed, { rules, ask, copies: () => true });
  const error = errorOf(await session.call('bash', { command: 'touch made' }));
  assert.equal(error, 'There is no copy of the workspace to run this in. Nothing was run.');
  assert.deepEqual(session.asks, []);
  dataOf(await session.call('bash', { command: 'touch made-for-real', background: true }));
  assert.equal(session.asks.length, 1);
  assert.equal(existsSync(path.join(bed.workspace, 'made')), false);
});

function displayOf(chunk: Chunk | undefined): unknown {
  return chunk !== undefined && 'display' in chunk ? chunk.display : undefined;
}
