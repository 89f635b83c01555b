import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { readOptionMeta, readPermissionMeta } from '../../../../src/acp/gatehouse/permission.ts';
import { type Connected, connect, lastStatus, newSession, prompt, requests } from '../harness.ts';

const GATEHOUSE = { _meta: { gatehouse: { v: 1, saveRule: true } } };
const bash = (command: string, id: string) => ({ tool: 'bash', input: { command }, id });

type Answer = (asked: RequestPermissionRequest, at: number) => RequestPermissionResponse;

/** A host whose model makes these calls one after the other, and a client that answers each request. */
async function run(t: TestContext, calls: readonly object[], answer: Answer) {
  const asked: RequestPermissionRequest[] = [];
  const host = await connect(t, {
    script: [...calls.map((call) => ({ calls: [call] })), { text: 'Ok.' }] as never,
    client: {
      capabilities: GATEHOUSE,
      permission: (params) => {
        asked.push(params);
        return answer(params, asked.length);
      },
    },
  });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  return { host, asked, sessionId };
}

function choose(optionId: string, gatehouse?: object): RequestPermissionResponse {
  const outcome = { outcome: 'selected' as const, optionId };
  return { outcome, ...(gatehouse && { _meta: { gatehouse } }) };
}

const made = (host: Connected, name: string) => existsSync(path.join(host.workspace, name));

test('our own client gets one option for each scope, and the rules of each part to choose from', async (t) => {
  const { asked } = await run(t, [bash('touch a && mkdir b', 'c1')], () => choose('reject'));
  assert.deepEqual(
    asked[0]?.options.map(({ optionId }) => optionId),
    [
      ...['allow', 'session', 'always-session', 'always-workspace', 'always-user'],
      ...['reject', 'never-session', 'never-workspace', 'never-user'],
    ],
  );
  const meta = readPermissionMeta(asked[0] ?? {});
  assert.deepEqual(
    meta?.offers?.allow.map(({ target, patterns }) => [target, patterns.length]),
    [
      ['touch a', 2],
      ['mkdir b', 2],
    ],
  );
  assert.equal(meta?.editable, true);
  assert.equal(typeof meta?.cwd, 'string');
});

test('VC-32: only the chosen rules of the line are stored', async (t) => {
  const line = 'touch a && mkdir b';
  const rules = [{ permission: 'bash', pattern: 'touch *', action: 'allow' }];
  const { asked } = await run(
    t,
    [bash(line, 'c1'), bash('touch c', 'c2'), bash('mkdir d', 'c3')],
    (_, at) => (at === 1 ? choose('always-session', { rules }) : choose('reject')),
  );
  assert.deepEqual(
    asked.map(({ toolCall }) => Object(toolCall.rawInput).command),
    [line, 'mkdir d'],
  );
});

test('a rule that was not offered rejects the call and is not stored', async (t) => {
  for (const [optionId, rule] of [
    ['always-session', { permission: '*', pattern: '*', action: 'allow' }],
    ['always-session', { permission: 'bash', pattern: 'touch a', action: 'deny' }],
    ['never-session', { permission: 'bash', pattern: 'touch a', action: 'allow' }],
  ] as const) {
    const calls = [bash('touch a', 'c1'), bash('touch a', 'c2')];
    const { host, asked } = await run(t, calls, () => choose(optionId, { rules: [rule] }));
    assert.equal(asked.length, 2, optionId);
    assert.equal(made(host, 'a'), false);
  }
});

test('"for this session" of an edit covers the folder, also for another tool', async (t) => {
  const write = { tool: 'write', input: { path: 'src/a.txt', content: 'one\n' }, id: 'c1' };
  const edit = {
    ...{ tool: 'edit', id: 'c2' },
    input: { path: 'src/a.txt', old_string: 'one', new_string: 'two' },
  };
  const { host, asked } = await run(t, [write, edit], () => choose('session'));
  assert.equal(asked.length, 1);
  const session = asked[0]?.options.find(({ optionId }) => optionId === 'session');
  assert.deepEqual(readOptionMeta(session ?? {})?.covers, { kind: 'edits', name: 'src' });
  assert.deepEqual(Object.values(lastStatus(host)), ['completed', 'completed']);
});

test('"for this session" of an edit that a rule asks about covers this file, and says so', async (t) => {
  const calls = [
    { tool: 'write', input: { path: '.env', content: 'A=1\n' }, id: 'c1' },
    { tool: 'edit', input: { path: '.env', old_string: 'A=1', new_string: 'A=2' }, id: 'c2' },
    { tool: 'write', input: { path: 'src/a.txt', content: '' }, id: 'c3' },
  ];
  const { asked } = await run(t, calls, (_, at) => choose(at === 2 ? 'session' : 'allow'));
  const session = asked[1]?.options.find(({ optionId }) => optionId === 'session');
  const { covers, rules } = readOptionMeta(session ?? {}) ?? {};
  assert.deepEqual(covers, { kind: 'file' });
  assert.deepEqual([...new Set(rules?.map(({ pattern }) => pattern))], ['{workspace}/.env']);
  assert.equal(asked.length, 3, 'another file asks');
});

test('"for this session" of a command that writes stores no folder', async (t) => {
  const { asked } = await run(t, [bash('touch a; echo x > src/a.txt', 'c1')], () =>
    choose('reject'),
  );
  const session = asked[0]?.options.find(({ optionId }) => optionId === 'session');
  const { covers, rules = [] } = readOptionMeta(session ?? {}) ?? {};
  assert.deepEqual(
    rules.map(({ permission, pattern }) => `${permission} ${pattern}`),
    ['bash touch a', 'fs.write {workspace}/src/a.txt'],
  );
  const name = 'bash touch a, fs.write {workspace}/src/a.txt';
  assert.deepEqual(covers, { kind: 'rules', name });
});

test('an edit that can not run comes back with its error, and the call runs as it was edited', async (t) => {
  const { host, asked } = await run(t, [bash('touch wrong', 'c1')], (_, at) => {
    if (at === 1) return choose('allow', { editedInput: { command: 7 } });
    if (at === 2) return choose('allow', { editedInput: { command: 'touch right' } });
    return choose('allow');
  });
  assert.equal(asked.length, 3);
  const [first, again, edited] = asked.map((each) => readPermissionMeta(each));
  assert.equal(first?.edit, undefined);
  assert.deepEqual(again?.edit?.input, { command: 7 });
  assert.match(again?.edit?.error ?? '', /^Invalid arguments for bash: command must be string/);
  assert.deepEqual([again?.askId, again?.since], [first?.askId, first?.since]);
  assert.equal(edited?.command, 'touch right');
  assert.notEqual(edited?.askId, first?.askId);
  assert.deepEqual([made(host, 'wrong'), made(host, 'right')], [false, true]);
});

test('an answer with an edit stores no rule, since those that were offered are about the call before it', async (t) => {
  for (const optionId of ['session', 'always-session', 'always-user']) {
    const calls = [bash('touch wrong', 'c1'), bash('touch wrong', 'c2')];
    const { host, asked } = await run(t, calls, (_, at) => {
      if (at === 1) return choose(optionId, { editedInput: { command: 'touch right' } });
      return choose(at === 2 ? 'allow' : 'reject');
    });
    const commands = asked.map((each) => readPermissionMeta(each)?.command);
    assert.deepEqual(commands, ['touch wrong', 'touch right', 'touch wrong'], optionId);
    assert.deepEqual([made(host, 'wrong'), made(host, 'right')], [false, true]);
  }
});

test('an edit that a rule denies comes back with the reason', async (t) => {
  const deny = { rules: [{ permission: 'bash', pattern: 'rm *', action: 'deny' }] };
  const { asked } = await run(t, [bash('rm x', 'c1'), bash('touch y', 'c2')], (_, at) => {
    if (at === 1) return choose('never-session', deny);
    return at === 2 ? choose('allow', { editedInput: { command: 'rm z' } }) : choose('reject');
  });
  assert.match(
    readPermissionMeta(asked[2] ?? {})?.edit?.error ?? '',
    /The rule `bash rm \*` denies/,
  );
});

test('the reason of a rejection is in the next request to the model', async (t) => {
  const seen: string[] = [];
  const host = await connect(t, {
    script: ({ conversation }) => {
      seen.push(...conversation.results.map(({ errorText }) => errorText));
      return conversation.results.length === 0
        ? { calls: [bash('touch a', 'c1')] }
        : { text: 'Ok.' };
    },
    client: {
      capabilities: GATEHOUSE,
      permission: () => choose('reject', { reason: 'use the script' }),
    },
  });
  await prompt(host, await newSession(host));
  assert.deepEqual(seen, ['The user rejected this call: use the script']);
});

test('VC-31: a dropped rule of the session asks again, and only its own session drops it', async (t) => {
  const rule = { permission: 'bash', pattern: 'touch a', action: 'allow' };
  const { host, asked, sessionId } = await run(t, [bash('touch a', 'c1')], () =>
    choose('always-session'),
  );
  const other = await newSession(host);
  await host.agent.request('_gatehouse/drop_rule', { rule, sessionId: other });
  const explain = () =>
    host.agent.request<{ decision: string }>('_gatehouse/explain', {
      ...{ sessionId, tool: 'bash', input: { command: 'touch a' } },
    });
  assert.equal((await explain()).decision, 'allow');
  await host.agent.request('_gatehouse/drop_rule', { rule, sessionId });
  assert.equal((await explain()).decision, 'ask');
  await host.agent.request('session/close', { sessionId });
  await host.agent.request('session/load', { sessionId, cwd: host.workspace, mcpServers: [] });
  assert.equal((await explain()).decision, 'ask', 'the session was stored without it');
  assert.equal(asked.length, 1);
  assert.deepEqual(requests(host, '_gatehouse/save_rule'), []);
});

test('what the watchdog says of a call is a risk of all of it', async (t) => {
  const calls = Array.from({ length: 6 }, (_, at) => bash('touch a', `c${at}`));
  const { asked } = await run(t, calls, (_, at) => choose(at === 1 ? 'always-session' : 'reject'));
  const meta = readPermissionMeta(asked[1] ?? {});
  assert.equal(meta?.why?.layer, 'watchdog');
  assert.deepEqual(
    meta?.subjects.map(({ target, risk, reason }) => [target, risk, reason]),
    [['touch a', 'watchdog', meta?.why?.reason]],
  );
});
