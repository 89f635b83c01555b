import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ScriptedCall } from '../../tour/server.ts';
import { connect, newSession, prompt, requests } from './harness.ts';

const SECRET = 'API_KEY=sk-live-123456\nDB_PASSWORD=hunter2\n';
const QUOTED = /sk-live|hunter2/;

/** An edit that matches nothing, whose answer would show the nearest lines. */
const EDIT = { path: '.env', old_string: 'API_KEY=sk-live-xxxxxx', new_string: 'y' };
const patch = (file: string, line: number) =>
  `--- a/${file}\n+++ b/${file}\n@@ -${line},1 +${line},1 @@\n-x\n+y\n`;
const CALLS: readonly ScriptedCall[] = [
  { tool: 'edit', input: EDIT },
  { tool: 'edit', input: { ...EDIT, old_string: 'S' } },
  { tool: 'apply_patch', input: { patch: patch('.env', 1) } },
  { tool: 'apply_patch', input: { patch: patch('.env', 2) } },
  { tool: 'apply_patch', input: { patch: patch('plain.txt', 1) + patch('.env', 2) } },
];

interface Given {
  readonly calls: readonly ScriptedCall[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly answer?: 'allow' | 'reject';
  readonly files?: Readonly<Record<string, Buffer>>;
  readonly folders?: readonly string[];
}

/** The answers that the model gets, in a workspace with a secret. */
async function answers(
  t: TestContext,
  { calls, settings = {}, answer = 'reject', files = {}, folders = [] }: Given,
) {
  const told: string[] = [];
  const host = await connect(t, {
    script: ({ conversation: { results } }) => {
      told.push(...results.slice(told.length).map((each) => JSON.stringify(each)));
      const call = calls[results.length];
      return call ? { calls: [call] } : { text: 'Done.' };
    },
    client: {
      capabilities: {
        _meta: { gatehouse: { v: 1, saveRule: true, review: true, unreviewed: true } },
      },
      permission: () => ({ outcome: { outcome: 'selected', optionId: answer } }),
    },
  });
  writeFileSync(path.join(host.data, 'settings.json'), JSON.stringify(settings));
  for (const name of ['secrets', ...folders]) mkdirSync(path.join(host.workspace, name));
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(path.join(host.workspace, name), content);
  }
  for (const name of ['.env', 'secrets/key.txt']) {
    writeFileSync(path.join(host.workspace, name), SECRET);
  }
  writeFileSync(path.join(host.workspace, 'plain.txt'), 'hello\n');
  await prompt(host, await newSession(host));
  assert.equal(told.length, calls.length);
  const asks = requests(host, 'session/request_permission').length;
  return { told, asks, host };
}

for (const mode of ['each', 'turn', 'afterwards']) {
  test(`no answer to an edit quotes a file that asks before it is read, in review mode ${mode}`, async (t) => {
    const settings = { 'gatehouse.review.mode': mode };
    const { told } = await answers(t, { calls: CALLS, settings });
    for (const each of told) {
      assert.doesNotMatch(each, QUOTED);
      assert.match(each, /may quote a file that you may only read once the user has allowed it/);
      assert.doesNotMatch(each, /occurs \d+ times/, 'how often it matches tells what is there');
    }
  });
}

test('an edit of a file that the rules let the agent read still shows the nearest lines', async (t) => {
  const calls = [
    { tool: 'edit', input: { path: 'plain.txt', old_string: 'hallo', new_string: 'y' } },
    { tool: 'apply_patch', input: { patch: patch('plain.txt', 1) } },
  ];
  const { told } = await answers(t, { calls });
  for (const each of told) assert.match(each, /hello/);
});

test('why a file can not be written is not told where reading it asks', async (t) => {
  const write = (path: string): ScriptedCall => ({ tool: 'write', input: { path, content: 'x' } });
  const calls = ['certs.pem', 'certs.pem/', 'secrets', 'secrets.pem'].map(write);
  const files = { 'secrets.pem': Buffer.from([0, 159, 1, 0]) };
  const { told, asks } = await answers(t, { calls, files, folders: ['certs.pem'] });
  assert.equal(asks, 0);
  assert.match(told[2] ?? '', /is a folder/, 'reading is allowed there');
  for (const each of [told[0], told[3]]) {
    assert.match(
      each ?? '',
      /may quote a file that you may only read once the user has allowed it/,
    );
    assert.doesNotMatch(each ?? '', /folder|not a text file/);
  }
});

test('an edit of a secret file that can be made asks, and is made once it is allowed', async (t) => {
  const calls = [
    { tool: 'edit', input: { path: '.env', old_string: 'hunter2', new_string: 'other' } },
  ];
  const { asks, host } = await answers(t, { calls, answer: 'allow' });
  assert.equal(asks, 1);
  assert.match(readFileSync(path.join(host.workspace, '.env'), 'utf8'), /DB_PASSWORD=other/);
});

for (const action of ['deny', 'ask']) {
  test(`where a rule allows edits and another for read is ${action}, no answer to an edit tells what is in the file`, async (t) => {
    const rules = [
      { permission: 'read', pattern: 'secrets/**', action },
      { permission: 'edit', pattern: '{workspace}/**', action: 'allow' },
      { permission: 'apply_patch', pattern: '{workspace}/**', action: 'allow' },
    ];
    const key = { ...EDIT, path: 'secrets/key.txt' };
    const calls = [
      { tool: 'edit', input: key },
      { tool: 'apply_patch', input: { patch: patch('secrets/key.txt', 1) } },
      { tool: 'edit', input: { ...key, old_string: 'hunter2' } },
      { tool: 'edit', input: { ...key, old_string: 'API_KEY=sk-live-1', new_string: 'A' } },
    ];
    const { told, asks, host } = await answers(t, {
      calls,
      settings: { 'gatehouse.permissions': rules },
    });
    assert.equal(asks, action === 'ask' ? 2 : 0, 'only an edit that fits asks');
    for (const each of told) {
      assert.doesNotMatch(each, QUOTED);
      assert.doesNotMatch(each, /"replaced"/);
    }
    assert.equal(readFileSync(path.join(host.workspace, 'secrets/key.txt'), 'utf8'), SECRET);
  });
}

for (const mode of ['turn', 'afterwards']) {
  for (const rules of [[], [{ permission: 'read', pattern: '.env', action: 'deny' }]]) {
    const held = rules.length === 0 ? 'asks' : 'is denied';
    test(`an edit of a file whose reading ${held} is not left to a later review, in review mode ${mode}`, async (t) => {
      const moved = (from: string, to: string) =>
        `diff --git a/${from} b/${to}\nsimilarity index 100%\nrename from ${from}\nrename to ${to}\n`;
      const calls = [
        { tool: 'apply_patch', input: { patch: moved('.env', 'notes.txt') } },
        { tool: 'read', input: { path: 'notes.txt' } },
        { tool: 'edit', input: { ...EDIT, old_string: 'API_KEY=sk-live-1', new_string: 'A' } },
      ];
      const settings = { 'gatehouse.review.mode': mode, 'gatehouse.permissions': rules };
      const { told, asks, host } = await answers(t, { calls, settings });
      assert.equal(asks, rules.length === 0 ? 2 : 0);
      for (const each of told) {
        assert.doesNotMatch(each, QUOTED);
        assert.doesNotMatch(each, /"replaced"/);
      }
      assert.equal(readFileSync(path.join(host.workspace, '.env'), 'utf8'), SECRET);
    });
  }
}
