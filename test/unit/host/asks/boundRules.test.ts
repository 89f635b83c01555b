import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { createRuleStore } from '../../../../src/host/asks/ruleStore.ts';
import { openAcceptances } from '../../../../src/host/config/acceptance.ts';
import { SessionRules } from '../../../../src/host/session/policy/sessionRules.ts';
import { createMcpTool } from '../../../../src/mcp/tools/mcpTool.ts';
import { openHosted } from '../../gate/hosted.ts';

const RULE = { permission: 'mcp:db:*', pattern: '*', action: 'allow' } as const;

/** The store of one process; the next one sees what it kept. */
function openStore(folder: string) {
  const rules: object[] = [];
  const store = createRuleStore({
    client: { request: async () => ({}) } as never,
    configuration: {
      addMeanwhile: (added: readonly object[]) => void rules.push(...added),
      refresh: () => undefined,
    } as never,
    acceptances: openAcceptances(path.join(folder, 'acceptances.json')),
    boundKey: path.join(folder, 'bound'),
    warn: () => undefined,
  });
  return { store, rules };
}

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-bound-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

test('a stored rule is kept with the tool of the workspace that it was stored for', async (t) => {
  const folder = makeFolder(t);
  const { store } = openStore(folder);
  await store.remember({ addRules: () => undefined }, 'user', [RULE], 'server a');
  const next = openStore(folder).store;
  assert.equal(next.isStoredFor(RULE, 'server a'), true);
  assert.equal(next.isStoredFor(RULE, 'server b'), false);
  assert.equal(next.isStoredFor({ ...RULE, permission: 'mcp:db:x' }, 'server a'), false);
});

test('an answer for the session is kept with the tool of the workspace that it was about', async (t) => {
  const { store } = openStore(makeFolder(t));
  const added: object[] = [];
  const session = { addRules: (rules: readonly object[]) => void added.push(...rules) };
  await store.remember(session, 'session', [RULE], 'server a');
  await store.remember(session, 'session', [RULE]);
  const [bound, free] = added;
  assert.deepEqual(
    [Object(bound).identity, Object.hasOwn(Object(free), 'identity')],
    ['server a', false],
  );
  assert.equal(store.isStoredFor(RULE, 'server a'), false, 'it counts for rules of the settings');
});

test('nothing is kept of a rule for a tool of the user', async (t) => {
  const { store } = openStore(makeFolder(t));
  await store.remember({ addRules: () => undefined }, 'user', [RULE]);
  assert.equal(store.isStoredFor(RULE, 'undefined'), false);
});

function makeTool(origin: 'settings' | 'workspace' | 'session', hash: string) {
  const connection = {
    server: { name: 'db', origin, hash },
    call: async () => ({ ok: false, error: 'none' }) as const,
  };
  const tool = { name: 'x', inputSchema: { type: 'object' } } as const;
  return createMcpTool(tool, { id: 'db_x', server: 'db', connection, schemaMs: 1000 });
}

test('only servers of a workspace have an identity, which their entry decides', () => {
  assert.equal(makeTool('settings', 'a').identity, undefined);
  assert.equal(makeTool('session', 'a').identity, undefined);
  assert.notEqual(makeTool('workspace', 'a').identity, undefined);
  assert.notEqual(makeTool('workspace', 'a').identity, makeTool('workspace', 'b').identity);
});

test('the gate asks about the server of a workspace in spite of a rule for another one', async () => {
  const origin = { layer: 'user', index: 0 } as const;
  const rules = [{ ...RULE, source: 'project', origin } as const];
  const answers = [{ outcome: 'reject' }] as const;
  using session = openHosted({ answers });
  session.rules = rules;
  await session.pass(makeTool('workspace', 'a'), {});
  const [ask] = session.asks;
  assert.match(ask?.decision.reason ?? '', /for another tool of this name/);
  assert.equal(ask?.identity, makeTool('workspace', 'a').identity);
  const passage = await session.pass(makeTool('settings', 'a'), {});
  assert.equal(passage.type, 'passed');
});

test('the answers of a session come back with the tools that they were about', () => {
  let rows: readonly unknown[] = [];
  const recorder = {
    permissions: () => [...rows],
    setPermissions: (_: string, next: readonly unknown[]) => {
      rows = JSON.parse(JSON.stringify(next));
    },
  };
  const rules = new SessionRules(recorder, 's');
  rules.add([
    { ...RULE, source: 'session', identity: 'server a' },
    { ...RULE, source: 'session' },
  ]);
  const again = new SessionRules(recorder, 's').patterns;
  assert.deepEqual(
    again.map(({ identity }) => identity),
    ['server a', undefined],
  );
});
