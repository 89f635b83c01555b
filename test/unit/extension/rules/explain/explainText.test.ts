import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { DecisionList } from '../../../../../src/acp/gatehouse/explain.ts';
import { parseDecisionList, parseExplained } from '../../../../../src/acp/gatehouse/explain.ts';
import {
  toDecisionText,
  toExplainedText,
} from '../../../../../src/extension/rules/explain/explainText.ts';
import { run } from '../../../../../src/host/cli/explain.ts';
import { connect, newSession, prompt, temporary } from '../../../host/harness.ts';
import { english } from '../../english.ts';

const RULES = [
  { permission: 'bash', pattern: 'npm *', action: 'allow' },
  { permission: 'bash', pattern: 'npm publish *', action: 'deny' },
  { permission: 'edit', pattern: 'src/**', action: 'allow' },
];

/** What `gatehouse explain` prints. */
async function print(workspace: string, data: string, tool: string, target: string) {
  const stdout = new PassThrough();
  const args = ['--tool', tool, target, '--workspace', workspace, '--rules', JSON.stringify(RULES)];
  const io = { args, stdin: new PassThrough(), stdout, stderr: new PassThrough() };
  await run({ ...io, cwd: workspace, env: { GATEHOUSE_DATA: data } } as Parameters<typeof run>[0]);
  return String(stdout.read());
}

for (const [tool, argument, target] of [
  ['bash', 'command', 'npm test'],
  ['bash', 'command', 'npm publish --tag x'],
  ['bash', 'command', 'npm test && frob --all > out.txt; curl https://example.com'],
  ['read', 'path', 'src/a.ts'],
  ['read', 'path', '.env'],
  ['web_fetch', 'url', 'https://example.com/a'],
] as const) {
  test(`the document about ${tool} ${target} says what gatehouse explain prints`, async (t) => {
    const [data, workspace] = [await temporary(t), await temporary(t)];
    mkdirSync(path.join(workspace, 'src'));
    writeFileSync(path.join(data, 'settings.json'), JSON.stringify({ permissions: RULES }));
    const host = await connect(t, { data, workspace });
    const sessionId = await newSession(host);
    const params = { sessionId, tool, input: { [argument]: target } };
    const reply = parseExplained(await host.agent.request('_gatehouse/explain', params));
    const text = toExplainedText(`${tool}: ${target}`, reply);
    const printed = await print(workspace, data, tool, target);
    // The rules come from other places, and only a session has limits to what it may reach.
    const plain = (each: string) => each.replaceAll(/, a .* rule( in .*)?$/gm, '');
    assert.equal(plain(text), plain(`${tool}: ${target}\n\n${printed}`));
  });
}

test('the document about a past call has who settled it, the parts, and the rules in force', async (t) => {
  const [data, workspace] = [await temporary(t), await temporary(t)];
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify({ permissions: RULES }));
  const command = 'npm test && frob --all';
  const script = [{ calls: [{ tool: 'bash', input: { command }, id: 'c1' }] }, { text: 'Done.' }];
  const permission = () => ({ outcome: { outcome: 'selected', optionId: 'reject' } as const });
  const host = await connect(t, { data, workspace, script, client: { permission } });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  const query = { sessionId, toolCallId: 'c1' };
  const list: DecisionList = parseDecisionList(
    await host.agent.request('_gatehouse/decisions', query),
  );
  const text = toDecisionText(list.decisions, english);
  assert.match(
    text,
    /^bash: npm test \(\+1\)\n\ndeny by user at .+, after [\d.]+ s\.\n\nask \(rules\): /,
  );
  const stopped = list.decisions.map((each) => ({ ...each, by: 'abort', decision: 'cancel' }));
  assert.match(toDecisionText(stopped, english), /\n\nStopped before it was answered, at .+ s\.\n/);
  assert.match(text, /\n {2}allow {2}bash {2}npm test +\[bash npm \*\]\n/);
  assert.match(text, /\n {2}ask +bash {2}frob --all {2}\[no rule\]\n/);
  assert.match(text, /Rules in force, by source and hash:\n {2}default {2}[0-9a-f]{32}\n/);
  assert.match(text, /Of these, those that are not shipped:\n {2}allow bash npm \* {2}\[user\]\n/);
});

test('a decision of a hostile call shows hidden characters, on one line', () => {
  const decision = {
    ...{ at: 0, toolCallId: 'c', tool: 'bash', about: 'touch', decision: 'deny', by: 'user' },
    ...{ layer: 'rules', reason: 'No.', userReason: 'a\u200Bb', durationMs: 1500, paths: [] },
    subjects: [{ permission: 'bash', target: 'ls\n\u202Erm', decision: 'ask' }],
    rules: {},
  };
  const text = toDecisionText([decision], english);
  assert.doesNotMatch(text, /[\u200B\u202E]/);
  assert.match(text, /^bash: ls ⏎ ␣U\+202Erm\n/);
  assert.match(text, /The running call reached this\. Your reason: a␣U\+200Bb/);
});
