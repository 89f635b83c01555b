import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'jsonc-parser';
import { shippedRulesText } from '../../../../src/permissions/defaults/rulesText.ts';
import { type Connected, connect, newSession, prompt } from '../harness.ts';

const CAPABILITIES = { _meta: { gatehouse: { v: 1, saveRule: true } } };

async function readRules({ agent }: Connected, params: object) {
  const { text } = await agent.request<{ text: string }>('_gatehouse/rules_document', params);
  const rules: { permission: string; pattern: string }[] = parse(text);
  return { text, rules: rules.map(({ permission, pattern }) => `${permission} ${pattern}`) };
}

test('without a session the document has the shipped rules', async (t) => {
  const host = await connect(t, { client: { capabilities: CAPABILITIES } });
  assert.equal((await readRules(host, {})).text, shippedRulesText());
});

test('the document of a session has its answers and its approval mode, and no rule of elsewhere', async (t) => {
  const host = await connect(t, {
    script: [
      { calls: [{ tool: 'bash', input: { command: 'touch a' }, id: 'c1' }] },
      { text: 'Ok.' },
    ] as never,
    client: {
      capabilities: CAPABILITIES,
      permission: () => ({ outcome: { outcome: 'selected', optionId: 'always-session' } }),
    },
  });
  const sessionId = await newSession(host);
  const before = await readRules(host, { sessionId });
  assert.deepEqual(before.rules, []);
  await prompt(host, sessionId);
  const { text, rules } = await readRules(host, { sessionId });
  assert.ok(rules.includes('bash touch a'), text);
  assert.equal(rules.length, 1);
  await host.agent.request('session/set_config_option', {
    sessionId,
    configId: 'approval',
    value: 'acceptEdits',
  });
  const edits = await readRules(host, { sessionId });
  assert.ok(edits.rules.includes('write {workspace}/**'), edits.text);
  assert.match(edits.text, /Of the approval mode/);
  assert.equal(rules.filter((rule) => rule === 'bash touch a').length, 1);
});

test('a session that is not open is an error', async (t) => {
  const host = await connect(t, { client: { capabilities: CAPABILITIES } });
  await assert.rejects(readRules(host, { sessionId: 'gone' }));
});
