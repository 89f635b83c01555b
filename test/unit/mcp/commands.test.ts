import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ModelRequest } from '../../tour/server.ts';
import { type ClientSetUp, type Connected, prompt, temporary, until } from '../host/harness.ts';
import { findServer, openHost, startSession, stdio } from './servers.ts';
import { HOSTILE } from './source.ts';

const EVERYTHING = stdio('every', findServer('everything'));

interface SetUp {
  readonly client?: ClientSetUp;
  readonly settings?: object;
}

/** A plain ACP client, and what its model was sent. */
async function open(t: TestContext, { client = {}, settings }: SetUp = {}) {
  const sent: ModelRequest[] = [];
  const script = (request: ModelRequest) => {
    sent.push(request);
    return { text: 'Done.' };
  };
  const host = await openHost(t, { script, client, ...(settings && { settings }) });
  return { host, sent };
}

function listed({ updates }: Connected, sessionId: string) {
  return updates.flatMap(({ sessionId: id, update }) =>
    id === sessionId && update.sessionUpdate === 'available_commands_update'
      ? [update.availableCommands]
      : [],
  );
}

async function openPrompts(t: TestContext, setUp: SetUp = {}) {
  const opened = await open(t, setUp);
  const sessionId = await startSession(opened.host, [EVERYTHING]);
  const has = () =>
    listed(opened.host, sessionId)
      .at(-1)
      ?.some(({ name }) => /^every:/.test(name));
  await until(() => has() === true, 'the prompts are commands');
  return { ...opened, sessionId };
}

test('issue 18: a plain ACP client gets the prompts of MCP servers as commands with their arguments', async (t) => {
  const { host, sessionId } = await openPrompts(t);
  const [first, last] = [listed(host, sessionId).at(0), listed(host, sessionId).at(-1)];
  assert.deepEqual(
    first?.map(({ name }) => name),
    ['compact'],
    'at once',
  );
  assert.ok(last?.some(({ name }) => name === 'compact'));
  const args = last?.find(({ name }) => name === 'every:args-prompt');
  assert.equal(args?.input?.hint, 'city, state (optional)');
});

for (const [what, text, expected] of [
  ['by position', '/every:args-prompt Berlin', "What's weather in Berlin?"],
  ['with quotes', '/every:args-prompt "New York" NY', "What's weather in New York, NY?"],
  ['by name', "/every:args-prompt state=NY city='New York'", "What's weather in New York, NY?"],
  [
    'the last takes the rest',
    '/every:args-prompt Rome in Italy',
    "What's weather in Rome, in Italy?",
  ],
  ['without any', '/every:simple-prompt', 'This is a simple prompt without arguments.'],
  ['which is none of a server', '/every:absent Berlin', '/every:absent Berlin'],
  ['of no server', '/other:args-prompt Berlin', '/other:args-prompt Berlin'],
] as const) {
  test(`issue 18: a prompt as a command, its arguments ${what}`, async (t) => {
    const { host, sessionId, sent } = await openPrompts(t);
    await prompt(host, sessionId, text);
    const { conversation } = sent[0] as ModelRequest;
    assert.equal(conversation.prompt, expected);
  });
}

test('issue 18: a command without what its prompt needs is not sent, and says what to write', async (t) => {
  const { host, sessionId, sent } = await openPrompts(t);
  await assert.rejects(
    prompt(host, sessionId, '/every:args-prompt'),
    /needs city\. Nothing was sent\. Write: \/every:args-prompt city="…"/,
  );
  await assert.rejects(prompt(host, sessionId, '/every:args-prompt "a" "b" "c"'), /takes 2/);
  assert.deepEqual(sent, []);
});

test('issue 18: a rule that denies a prompt holds for the command', async (t) => {
  const rule = { permission: 'mcp:every:get_prompt', pattern: '*', action: 'deny' };
  const { host, sessionId, sent } = await openPrompts(t, {
    settings: { 'gatehouse.permissions': [rule] },
  });
  await assert.rejects(prompt(host, sessionId, '/every:simple-prompt'), /den/i);
  assert.deepEqual(sent, []);
});

test('issue 18: our own editor lists prompts itself, and gets the commands of the host only', async (t) => {
  const capabilities = { _meta: { gatehouse: { v: 1 } } };
  const { host } = await open(t, { client: { capabilities } });
  const sessionId = await startSession(host, [EVERYTHING]);
  await prompt(host, sessionId);
  assert.deepEqual(
    listed(host, sessionId).map((all) => all.map(({ name }) => name)),
    [['compact']],
  );
});

test('issue 18: prompts that change are listed again; a storm of changes is told now and then', async (t) => {
  const { host } = await open(t);
  const file = path.join(await temporary(t), 'prompts.json');
  writeFileSync(file, JSON.stringify([{ name: 'old' }]));
  const sessionId = await startSession(host, [stdio('srv', HOSTILE, 'prompt storm', file)]);
  const names = () =>
    listed(host, sessionId)
      .at(-1)
      ?.map(({ name }) => name) ?? [];
  await until(() => names().includes('srv:old'), 'the first list');
  writeFileSync(file, JSON.stringify([{ name: 'new' }]));
  await until(() => names().includes('srv:new'), 'the new list');
  assert.deepEqual(names(), ['compact', 'srv:new']);
  assert.ok(listed(host, sessionId).length < 6, 'the same list is told once');
});
