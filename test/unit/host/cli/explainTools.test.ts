import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOST_TOOL_IDS } from '../../../../src/base/tools/toolFacts.ts';
import { explainLine } from '../../../../src/host/cli/explainLine.ts';
import { listHostTools } from '../../../../src/host/tools/hostTools.ts';
import type { Tool } from '../../../../src/tools/contract.ts';
import { openHosted } from '../../gate/hosted.ts';

const PATCH = '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b\n';

/** Calls of each tool of the host: valid ones, and ones that are not. */
const CALLS: Readonly<Record<string, readonly unknown[]>> = {
  read: [{ path: 'src/a.ts' }, { path: '.env' }, { path: '/etc/passwd' }, {}],
  write: [
    { path: 'src/a.ts', content: 'x' },
    { path: '.vscode/settings.json', content: '' },
  ],
  edit: [{ path: 'src/a.ts', old_string: 'a', new_string: 'b' }, { path: 'src/a.ts' }],
  glob: [{ pattern: '*' }, { pattern: '*', path: '/etc' }],
  grep: [{ pattern: 'a' }, { pattern: 'a', path: 'src' }],
  bash: [{ command: 'git status' }, { command: 'rm -rf x' }, { command: 'cat src/a.ts' }],
  todo: [{ items: [{ content: 'a', status: 'pending' }] }, { items: 3 }],
  question: [{ questions: [{ question: 'a?', options: [{ label: 'a' }, { label: 'b' }] }] }, {}],
  web_fetch: [{ url: 'https://example.com/a' }, { url: 'http://10.0.0.1' }],
  web_search: [{ query: 'a' }, { query: 'bad \ud800' }],
  task: [{ subagent_type: 'explore', prompt: 'a' }, {}],
  skill: [{ name: 'a' }, {}],
  tool_search: [{ query: 'a' }],
  apply_patch: [{ patch: PATCH }, { patch: PATCH.replaceAll('src/a.ts', '.env') }, { patch: 'x' }],
  lsp: [
    { operation: 'diagnostics' },
    { operation: 'document_symbols', path: 'src/a.ts' },
    { operation: 'document_symbols', path: '.env' },
    { operation: 'none' },
  ],
  plan_exit: [{ plan: 'a' }, { plan: '' }],
  repo_clone: [
    { url: 'https://example.com/a.git' },
    { url: 'https://evil.example/a.git', path: 'src' },
    { url: 'https://example.com/a.git', path: '../out' },
  ],
  repo_overview: [{}, { path: 'src' }, { path: '/etc' }],
};

const rule = (permission: string, pattern: string, action: string) => ({
  ...{ permission, pattern, action },
  source: 'session',
});

const RULES: readonly (readonly object[])[] = [
  [],
  [rule('*', '*', 'allow')],
  [rule('*', '*', 'allow'), rule('fs.read', '**/.env', 'deny'), rule('write', 'src/**', 'deny')],
  [rule('fs.*', '{workspace}/**', 'allow'), rule('net.fetch', 'example.com', 'allow')],
  [rule('read', '**', 'deny'), rule('web_fetch', 'example.com', 'deny'), rule('task', '*', 'ask')],
  HOST_TOOL_IDS.map((id) => rule(id, id === 'repo_clone' ? 'example.com' : '**', 'allow')),
  [rule('apply_patch', '*', 'allow'), rule('lsp', 'src/**', 'allow'), rule('repo_*', '*', 'deny')],
];

test('each tool of the host has calls here', async () => {
  const ids = (await listHostTools()).map(({ id }) => id);
  assert.deepEqual(ids.toSorted(), [...HOST_TOOL_IDS].toSorted());
  assert.deepEqual(Object.keys(CALLS).toSorted(), ids.toSorted());
});

for (const id of HOST_TOOL_IDS)
  test(`explain says of ${id} what the gate decides`, async () => {
    const tool = (await listHostTools()).find((each) => each.id === id);
    assert.ok(tool !== undefined);
    const found = new Set<string>();
    for (const rules of RULES)
      for (const input of CALLS[id] ?? []) {
        const [explained, decided] = await compare(tool, input, rules);
        assert.equal(explained, decided, JSON.stringify({ input, rules }));
        found.add(decided);
      }
    // The plan always asks, and a call that only affects the session never does.
    assert.ok(found.has('ask') || found.has('allow'), [...found].join());
  });

async function compare(tool: Tool, input: unknown, rules: readonly object[]) {
  using session = openHosted({ rules, answers: [{ outcome: 'reject' }] });
  const passage = await session.pass(tool, input);
  const line = { tool: tool.id, input, rules, workspace: session.workspace };
  const { decision } = await explainLine(JSON.stringify(line), { scratch: '/nonexistent' });
  const why = passage.type === 'stopped' ? passage.why : 'allow';
  return [decision, session.asks.length > 0 ? 'ask' : why === 'invalid' ? 'error' : why] as const;
}

for (const [tool, input, expected] of [
  ['apply_patch', { patch: PATCH }, /src\/a\.ts/],
  ['lsp', { operation: 'document_symbols', path: 'src/a.ts' }, /src\/a\.ts/],
  ['repo_clone', { url: 'https://example.com/x.git' }, /example\.com/],
  ['repo_overview', { path: 'docs' }, /docs/],
] as const)
  test(`explain names what ${tool} would touch, not its arguments`, async () => {
    const line = { tool, input, rules: [], workspace: '/nonexistent/w' };
    const { subjects } = await explainLine(JSON.stringify(line), { scratch: '/nonexistent' });
    const targets = subjects.map(({ target }) => target);
    assert.ok(
      targets.some((target) => expected.test(target)),
      targets.join(),
    );
    assert.ok(
      targets.every((target) => !target.startsWith('{')),
      targets.join(),
    );
  });
