import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { toExtensions } from '../../../src/acp/gatehouse/capabilities.ts';
import type { LanguageAnswer } from '../../../src/base/tools/languageQuery.ts';
import type { ToolListing } from '../../../src/base/tools/toolRow.ts';
import { calls, connect, newSession, prompt } from './harness.ts';

/** A host in an editor with language features, which the model asks about `a.ts`. */
async function open(t: TestContext, answer: (params: unknown) => LanguageAnswer | object) {
  const asked: unknown[] = [];
  const host = await connect(t, {
    script: ({ conversation }) =>
      conversation.results.length === 0
        ? { calls: [{ tool: 'lsp', input: { operation: 'document_symbols', path: 'a.ts' } }] }
        : { text: 'Done.' },
    client: {
      capabilities: toExtensions({ language: true }),
      other(method, params) {
        assert.equal(method, '_gatehouse/language');
        asked.push(params);
        return answer(params);
      },
    },
  });
  writeFileSync(path.join(host.workspace, 'a.ts'), 'export const a = 1;\n');
  return { host, asked, sessionId: await newSession(host) };
}

test('the model asks the language features of the editor without asking the user', async (t) => {
  const range = { start: { line: 0, character: 13 }, end: { line: 0, character: 14 } };
  const { host, asked, sessionId } = await open(t, (params) => ({
    locations: [{ path: Object(params).path, range, text: 'a', kind: 'constant' }],
  }));
  await prompt(host, sessionId);
  const file = path.join(host.workspace, 'a.ts');
  assert.deepEqual(asked, [{ operation: 'document_symbols', path: file }]);
  const done = calls(host).find(({ status }) => status === 'completed');
  assert.match(JSON.stringify(done?.rawOutput), /a\.ts:1:14: constant a: export const a = 1;/);
});

test('an invalid answer of the editor fails the call, and the turn goes on', async (t) => {
  const { host, sessionId } = await open(t, () => ({ locations: [{ path: '', range: {} }] }));
  assert.equal((await prompt(host, sessionId)).stopReason, 'end_turn');
  const failed = calls(host).find(({ status }) => status === 'failed');
  assert.match(JSON.stringify(failed?.rawOutput), /The editor's answer .* is invalid/);
});

test('other clients are told that language features are not available', async (t) => {
  const sent: string[][] = [];
  const host = await connect(t, {
    script: ({ conversation }) => {
      sent.push([...conversation.tools]);
      return conversation.results.length === 0
        ? { calls: [{ tool: 'lsp', input: { operation: 'diagnostics' } }] }
        : { text: 'Done.' };
    },
  });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  assert.ok(!sent[0]?.includes('lsp'));
  const failed = calls(host).find(({ status }) => status === 'failed');
  assert.match(JSON.stringify(failed?.rawOutput), /not available here: only VS Code/);
  const listing = (await host.agent.request('_gatehouse/tools', { sessionId })) as ToolListing;
  const row = listing.tools.find(({ id }) => id === 'lsp');
  assert.deepEqual([row?.source, row?.state], ['language', 'not offered']);
});
