import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { poll, promptOf } from '../host/stdioHost.ts';
import {
  agentcli,
  converse,
  fields,
  makeBed,
  newSession,
  open,
  readAudit,
  type SessionSetUp,
} from './session.ts';

// What a model sees of agentcli tools, through the built `gatehouse acp`.

async function callTool(
  t: TestContext,
  script: string,
  { more = {}, ...setUp }: SessionSetUp & { readonly more?: object; readonly input?: unknown } = {},
) {
  const bed = await makeBed(t, { files: agentcli(script, more) });
  const calls = [{ tool: 'shop_x', input: setUp.input ?? {} }];
  const seen = await converse(t, bed, { calls, ...setUp });
  return { ...seen, bed, result: fields(seen.results[0]) };
}

test('VA-12, VA-23 the environment is PATH, HOME and what is passed; the log names it', async (t) => {
  const { result, bed } = await callTool(
    t,
    `printf '"%s"' "$(env | cut -d= -f1 | sort | tr '\\n' ' ')"`,
    {
      more: { envPassthrough: ['oai_api_key', 'OAI_API_KEY', ' Path ', 'TZ', 'GONE'] },
      env: { SECRET: 's3cret-value', TZ: 'UTC', OAI_API_KEY: 'k3y-value' },
    },
  );
  const names = String(result['data']).trim().split(' ');
  // The shell sets its own.
  const own = new Set(['_', 'PWD', 'OLDPWD', 'SHLVL']);
  assert.deepEqual(
    names.filter((name) => !own.has(name)),
    ['HOME', 'OAI_API_KEY', 'PATH', 'TZ'],
  );
  const rows = await readAudit(bed);
  assert.deepEqual(
    rows.map(({ envKeys }) => envKeys),
    [['OAI_API_KEY', 'PATH', 'TZ']],
  );
  assert.doesNotMatch(JSON.stringify(rows), /s3cret-value|k3y-value|UTC/);
});

test('VA-17 the program is the one below the manifest, wherever the session works', async (t) => {
  const bed = await makeBed(t, {
    files: { ...agentcli('echo \'"below"\''), 'tools/bin/x': '#!/bin/sh\necho 1\n' },
  });
  const { results } = await converse(t, bed, { calls: [{ tool: 'shop_x' }] });
  assert.equal(fields(results[0])['data'], 'below');
});

test('C-61 an answer for exactly this call counts the digits that the program gets', async (t) => {
  const ask = ['sh', '-c', `echo '{"verdict": "ask", "reason": "odd"}'`];
  const bed = await makeBed(t, {
    files: agentcli('cat'),
    settings: { 'gatehouse.watchdog.command': ask, 'gatehouse.limits.watchdogMs': 60_000 },
  });
  // As doubles, the first three are equal.
  const texts = ['{"n":9007199254740993}', '{ "n": 9007199254740993 }', '{"n":9007199254740992}'];
  const more = ['{"n":9007199254740994}', '{"n":1e400}', '{"n":1e400}', '{"n":1e500}'];
  const calls = [...texts, ...more].map((input) => ({ tool: 'shop_x', input }));
  const { asks } = await converse(t, bed, { calls, answer: () => 'always-session' });
  assert.deepEqual(
    asks.map(({ params }) => fields(fields(params)['toolCall'])['toolCallId']),
    ['call0', 'call2', 'call3', 'call4', 'call6'],
  );
});

for (const [name, script, data] of [
  ['VA-18 two lines stay two lines', `printf '{"a":1}\\n{"b":2}\\n'`, '{"a":1}\n{"b":2}'],
  ['VA-19 nothing is an empty object', 'true', {}],
] as const) {
  test(name, async (t) => {
    const { result } = await callTool(t, script);
    assert.deepEqual(result['data'], data);
  });
}

for (const [name, script, error] of [
  ['VA-20 the error of a JSON object is the text', `echo '{"error":"boom"}' >&2; exit 1`, 'boom'],
  ['VA-21 an empty standard error is named by the exit', 'exit 3', 'exit status 3'],
] as const) {
  test(name, async (t) => {
    const { results } = await callTool(t, script);
    assert.deepEqual(results, [{ error }]);
  });
}

test('VA-22 a tool that takes too long is ended', async (t) => {
  // A machine may be too busy to start it within the first of these times.
  for (const timeoutSec of [1, 10, 60]) {
    const { results, bed } = await callTool(t, 'echo $$ > "$HOME/pid"; exec sleep 900', {
      more: { timeoutSec },
    });
    assert.deepEqual(results, [{ error: 'tool timed out' }]);
    const file = path.join(bed.data, 'pid');
    const pid = existsSync(file) ? (await readFile(file, 'utf8')).trim() : '';
    if (pid === '' && timeoutSec < 60) continue;
    assert.notEqual(pid, '');
    await poll(() => !existsSync(`/proc/${pid}`), 'the tool is gone');
    return;
  }
});

test('VA-24 arguments reach standard input and no shell', async (t) => {
  const input = { text: '$(touch x); echo hi' };
  const { result, bed } = await callTool(t, 'cat', { input });
  assert.deepEqual(result['data'], input);
  assert.equal(existsSync(path.join(bed.workspace, 'x')), false);
});

for (const [what, input] of [
  ['big integers', '{"n":9007199254740993}'],
  ['numbers beyond every double', '{"n":1e400,"zero":-0,"one":1.0}'],
  ['the order of keys', '{"b":1,"2":0,"1":0,"a":"\\u0041"}'],
  ['white space', ' { "a" : [ 1 ] }\n'],
  ['what is written as it is printed', '{"a":[1]}'],
] as const) {
  test(`a call that waits across a SIGKILL of the host keeps ${what}, byte for byte`, async (t) => {
    const bed = await makeBed(t, { files: agentcli('cat > "$HOME/stdin"') });
    const first = await open(t, bed, { script: [{ calls: [{ tool: 'shop_x', input, id: 'c' }] }] });
    const sessionId = await newSession(first, bed);
    first.send({ id: 'turn', method: 'session/prompt', params: promptOf(sessionId) });
    await first.asked('session/request_permission');
    first.child.kill('SIGKILL');
    await first.exit;

    const next = await open(t, bed);
    await next.request('session/load', { sessionId, cwd: bed.workspace, mcpServers: [] });
    const { id } = await next.asked('session/request_permission');
    next.send({ id, result: { outcome: { outcome: 'selected', optionId: 'allow' } } });
    await poll(() => next.model.requests.length === 1, 'the model gets the result');
    assert.equal(await readFile(path.join(bed.data, 'stdin'), 'utf8'), input);
  });
}

test('A-19 a name given twice is an error of the arguments, and starts nothing', async (t) => {
  const { results, bed } = await callTool(t, 'touch "$HOME/ran"; echo {}', {
    input: '{"a":1,"a":2}',
  });
  assert.match(JSON.stringify(results), /The name \\"a\\" is given twice/);
  assert.equal(existsSync(path.join(bed.data, 'ran')), false);
});

test('VA-26 a failure of 5,000 bytes is cut at 1,000', async (t) => {
  const { result } = await callTool(t, `head -c 5000 /dev/zero | tr '\\0' e >&2; exit 1`);
  assert.deepEqual([result['error'], result['truncated']], ['e'.repeat(1000), true]);
  assert.equal(await readFile(String(result['output_path']), 'utf8'), 'e'.repeat(5000));
});
