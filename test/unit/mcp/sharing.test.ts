import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { success } from '../../../src/base/outcome.ts';
import type { SignIns } from '../../../src/mcp/oauth/signIns.ts';
import { temporary, until } from '../host/harness.ts';
import { HOSTILE, openSource } from './source.ts';

/** Two sessions of the same folders with a server from the settings. */
function openTwo(t: TestContext, args: readonly string[], more: object = {}) {
  const accepted = { has: () => true, acceptAll: () => undefined, stamp: () => '' };
  const { clock, source, session } = openSource(t, [], { accepted, ...more });
  const configured = { srv: { command: process.execPath, args: [HOSTILE, ...args] } };
  const one = { ...session, mcp: { configured, servers: [] } };
  return { clock, source, one, other: { ...one, id: 'other' } };
}

test('two sessions that ask at the same time both get the tools of the server that they share', async (t) => {
  const { source, one, other } = openTwo(t, ['error']);
  const offers = await Promise.all([source.tools(one), source.tools(other), source.tools(one)]);
  for (const { tools, notOffered } of offers) {
    assert.deepEqual(notOffered, []);
    assert.deepEqual(
      tools.map(({ tool }) => tool.id),
      ['srv_act', 'srv_more'],
    );
  }
});

test('a session that is closed while the user is asked for a value starts no server', async (t) => {
  const file = path.join(await temporary(t), 'starts');
  const answer = Promise.withResolvers<string>();
  const { source, one } = openTwo(t, ['error', file], { askInput: () => answer.promise });
  const env = { TOKEN: `$${'{input:token}'}` };
  const { srv } = one.mcp.configured;
  const configured = { srv: { ...srv, env } };
  const asked = source.tools({ ...one, mcp: { configured, servers: [] } });
  source.drop?.(one.id);
  answer.resolve('secret');
  assert.deepEqual((await asked).tools, []);
  const next = await source.tools({ ...one, mcp: { configured, servers: [] } });
  assert.equal(next.tools.length, 2, 'a session that is opened again has it');
  assert.equal(readFileSync(file, 'utf8'), 'started\n');
});

test('sessions whose rules hide other files have a server each, and one whose rules change has a new one', async (t) => {
  const file = path.join(await temporary(t), 'starts');
  const { source, one, other } = openTwo(t, ['error', file]);
  const starts = () => readFileSync(file, 'utf8').split('\n').length - 1;
  const hide = (id: string) => ({ hidden: { id, find: async () => success([]) } });
  for (const [session, id, count] of [
    [one, 'a', 1],
    [other, 'a', 1],
    [other, 'b', 2],
    [one, 'a', 2],
    [one, 'c', 3],
  ] as const) {
    const { tools } = await source.tools({ ...session, ...hide(id) });
    assert.deepEqual([tools.length, starts()], [2, count], `${session.id} ${id}`);
  }
});

for (const [what, isSignedIn] of [
  ['refuses', () => Promise.reject(new Error('The keyring is locked.'))],
  ['does not answer', () => new Promise<boolean>(() => undefined)],
] as const) {
  test(`CS-57 an editor that ${what} when it is asked for a sign-in keeps no tool away`, async (t) => {
    let isAsked = false;
    const ask = () => {
      isAsked = true;
      return isSignedIn();
    };
    const signIns = { isSignedIn: ask, dispose: () => undefined } as never as SignIns;
    const { clock, source, one } = openTwo(t, ['error'], { signIns });
    let tools: readonly unknown[] | undefined;
    void source.tools(one).then((offer) => {
      ({ tools } = offer);
    });
    await until(() => {
      if (isAsked) clock.advance(100);
      return tools !== undefined;
    }, 'the tools');
    assert.equal(tools?.length, 2);
  });
}

test('no server is started in a workspace that is not trusted, whoever configured it', async (t) => {
  const file = path.join(await temporary(t), 'starts');
  const { source, one } = openTwo(t, ['error', file]);
  const untrusted = { ...one, trusted: false };
  const { tools, notOffered, pending } = await source.tools(untrusted);
  assert.deepEqual([tools, notOffered, pending], [[], [], []]);
  const content = await source.content?.(untrusted);
  assert.deepEqual(content, { resources: [], templates: [], prompts: [] });
  assert.equal((await source.act?.(untrusted, 'srv', 'restart'))?.ok, false);
  assert.equal(existsSync(file), false);
  await source.tools(one);
  assert.equal(readFileSync(file, 'utf8'), 'started\n', 'once it is trusted, it is');
});
