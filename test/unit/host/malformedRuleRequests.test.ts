import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, newSession, prompt } from './harness.ts';

const RULES = '_gatehouse/rules';
const IMPORT = '_gatehouse/import_rules';
const INVALID = -32_602;

/** Requests about rules that no client should send, and the field that the error names. */
const MALFORMED: readonly (readonly [string, unknown, RegExp])[] = [
  [RULES, [], /params|object/i],
  [RULES, { sessionId: 1 }, /sessionId/],
  [RULES, { sessionId: '' }, /sessionId/],
  [RULES, { permission: ['bash'] }, /permission/],
  [RULES, { file: { path: '/x' } }, /file/],
  [RULES, { text: false }, /text/],
  [RULES, { offset: -1 }, /offset/],
  [RULES, { offset: 1.5 }, /offset/],
  [RULES, { offset: 2 ** 60 }, /offset/],
  [RULES, { limit: 501 }, /limit/],
  [RULES, { limit: '5' }, /limit/],
  [IMPORT, 'all', /params|object/i],
  [IMPORT, { folder: 'relative' }, /folder.*absolute path/],
  [IMPORT, { folder: '' }, /folder/],
  [IMPORT, { folder: ['/w'] }, /folder/],
  [IMPORT, { userSettings: '~/settings.json' }, /userSettings.*absolute path/],
  [IMPORT, { userSettings: 3 }, /userSettings/],
];

test('malformed requests about rules name the field, and the host goes on', async (t) => {
  const host = await connect(t, { script: [{ text: 'Still here.' }] });
  const sessionId = await newSession(host);
  for (const [method, params, expected] of MALFORMED) {
    const { code, message } = await fail(host.agent.request(method, params));
    assert.equal(code, INVALID, `${method} ${JSON.stringify(params)}: ${message}`);
    assert.match(message, expected);
  }
  const unknown = await fail(host.agent.request(RULES, { sessionId: 'ses_gone' }));
  assert.match(`${unknown.code} ${unknown.message}`, /-32002 .*ses_gone/);
  // Fields that a later client may send are no error.
  const page = await host.agent.request<{ total: number }>(RULES, { sessionId, later: true });
  assert.ok(page.total > 0);
  const preview = await host.agent.request<{ rules: unknown }>(IMPORT, { folder: '/no/such' });
  assert.ok(Array.isArray(preview.rules));
  assert.equal((await prompt(host, sessionId)).stopReason, 'end_turn');
});

/** The error that a request is answered with. */
async function fail(request: Promise<unknown>): Promise<{ code: number; message: string }> {
  return request.then(
    (answer) => assert.fail(`answered with ${JSON.stringify(answer)}`),
    (error: unknown) => ({ code: Object(error).code, message: String(Object(error).message) }),
  );
}
