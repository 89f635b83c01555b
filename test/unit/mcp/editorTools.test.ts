import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { toExtensions } from '../../../src/acp/gatehouse/capabilities.ts';
import { calls, newSession, prompt, requests } from '../host/harness.ts';
import { ALLOW, openHost } from './servers.ts';

const LOOK = {
  ...{ name: 'look', description: 'Looks around.' },
  parameters: { type: 'object', properties: { where: { type: 'string' } }, required: ['where'] },
};

interface SetUp {
  readonly settings?: object;
  readonly input?: object;
  call?(given: unknown): unknown;
}

/** A host in an editor whose other extensions have one tool, which the model calls. */
async function open(t: TestContext, { settings = {}, input = { where: 'up' }, call }: SetUp = {}) {
  const given: unknown[] = [];
  const editor = { tools: [LOOK] as readonly object[] };
  const sent: string[][] = [];
  const host = await openHost(t, {
    settings,
    script: ({ conversation }) => {
      sent.push([...conversation.tools]);
      const isFirst = conversation.results.length === 0;
      return isFirst ? { calls: [{ tool: 'vscode_look', input }] } : { text: 'Done.' };
    },
    client: {
      permission: () => ALLOW,
      capabilities: toExtensions({ editorTools: true }),
      other(method, params) {
        if (method === '_gatehouse/editor_tools') return editor;
        assert.equal(method, '_gatehouse/editor_tool');
        given.push(params);
        return call?.(params) ?? { texts: ['A tree.'] };
      },
    },
  });
  return { host, given, editor, sent };
}

test("a tool of another extension is called through the gate, as one of the editor's", async (t) => {
  const { host, given } = await open(t);
  await prompt(host, await newSession(host));
  const [asked] = requests(host, 'session/request_permission');
  assert.match(JSON.stringify(asked?.params), /"mcp:vscode:look"/);
  assert.deepEqual(given, [{ name: 'look', input: { where: 'up' } }]);
  const done = calls(host).find(({ status }) => status === 'completed');
  assert.match(JSON.stringify(done?.rawOutput), /A tree\./);
});

test('a rule denies a tool of another extension, and its schema holds, before the editor is asked', async (t) => {
  const rule = { permission: 'mcp:vscode:look', pattern: '*', action: 'deny' };
  const denied = await open(t, { settings: { 'gatehouse.permissions': [rule] } });
  await prompt(denied.host, await newSession(denied.host));
  assert.deepEqual(denied.given, []);
  const wrong = await open(t, { input: { where: 1 } });
  await prompt(wrong.host, await newSession(wrong.host));
  assert.deepEqual(wrong.given, []);
});

test('a tool of another extension that fails is an answer for the model', async (t) => {
  const { host } = await open(t, { call: () => ({ texts: [], error: 'It is dark.' }) });
  const end = await prompt(host, await newSession(host));
  assert.equal(end.stopReason, 'end_turn');
  const failed = calls(host).find(({ status }) => status === 'failed');
  assert.match(JSON.stringify(failed?.rawOutput), /The tool of the editor failed: It is dark\./);
});

test('Stop ends a call of another extension, and the editor is told', async (t) => {
  const running = Promise.withResolvers<void>();
  const never = Promise.withResolvers<object>();
  t.after(() => never.resolve({ texts: [] }));
  const call = () => {
    running.resolve();
    return never.promise;
  };
  const { host } = await open(t, { call });
  const sessionId = await newSession(host);
  const turn = prompt(host, sessionId);
  await running.promise;
  await host.agent.notify('session/cancel', { sessionId });
  assert.equal((await turn).stopReason, 'cancelled');
  const told = host.lines.some(({ message }) => Object(message).method === '$/cancel_request');
  assert.ok(told);
});

test('the tools of other extensions are listed anew for each turn, and can be switched off', async (t) => {
  const settings = { 'gatehouse.tools.disabled': ['vscode_hear'] };
  const { host, editor, sent } = await open(t, { settings });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  assert.ok(sent[0]?.includes('vscode_look'));
  editor.tools = [
    { ...LOOK, name: 'smell' },
    { ...LOOK, name: 'hear' },
    { ...LOOK, name: 'a b' },
  ];
  await prompt(host, sessionId);
  const ids = sent.at(-1)?.filter((id) => id.startsWith('vscode_'));
  assert.deepEqual(ids, ['vscode_smell']);
});

test('a setting leaves out the tools of all extensions', async (t) => {
  const { host, sent } = await open(t, { settings: { 'gatehouse.editorTools': false } });
  await prompt(host, await newSession(host));
  assert.ok(sent[0]?.every((id) => !id.startsWith('vscode_')));
});

test('other clients have no tools of extensions', async (t) => {
  const sent: string[][] = [];
  const host = await openHost(t, {
    script: ({ conversation }) => {
      sent.push([...conversation.tools]);
      return { text: 'Done.' };
    },
  });
  await prompt(host, await newSession(host));
  assert.deepEqual(
    sent[0]?.filter((id) => id.startsWith('vscode')),
    [],
  );
});
