import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Operation } from '../../../src/gate/operation.ts';
import type { Gate } from '../../../src/runtime/runtime.ts';
import { type Hosted, hostedWrite, openHosted, sessionRules, toShort } from './hosted.ts';

/** Fetches an address, as a hosted agent's own fetch would be admitted. */
const hostedFetch: Operation = {
  id: 'web_fetch',
  kind: 'fetch',
  parameters: { type: 'object' },
  subjects: (input) => [
    {
      permission: 'web_fetch',
      capability: 'net.fetch',
      target: String(Object(input).url),
      match: 'host',
    },
  ],
};

const FROM = 'https://docs.example/';
const TO = 'https://cdn.example/';
const ALLOW_DOCS = { permission: 'web_fetch', pattern: 'docs.example', action: 'allow' };

async function admitted(hosted: Hosted, operation: Operation, input: unknown): Promise<Gate> {
  const passage = await hosted.pass(operation, input);
  assert.ok(passage.type === 'passed', JSON.stringify(passage));
  return passage.admitted.gate;
}

test('only the file that was asked about may be touched', async () => {
  using hosted = openHosted({ answers: [{ outcome: 'allow' }] });
  const gate = await admitted(hosted, hostedWrite, { path: 'a.txt', content: '' });
  const at = (name: string) => path.join(hosted.workspace, name);
  const touch = (name: string) => gate.authorize({ capability: 'fs.write', target: at(name) });
  assert.equal((await touch('a.txt')).ok, true);
  assert.equal((await touch('b.txt')).ok, false);
  assert.deepEqual(hosted.events.map(toShort), ['call allow by user', 'touch deny by rule']);
  assert.deepEqual(hosted.events[1]?.paths, [at('b.txt')]);
});

/** Searches a folder, as `grep` does. */
const hostedSearch: Operation = {
  id: 'grep',
  kind: 'search',
  parameters: { type: 'object' },
  subjects: (input) => [
    {
      permission: 'grep',
      capability: 'fs.read',
      target: String(Object(input).path),
      match: 'path',
    },
  ],
};

test('an answer about a folder covers no file below it that another rule asks about', async () => {
  using hosted = openHosted({
    rules: [
      { permission: 'fs.read', pattern: '**', action: 'ask' },
      { permission: 'fs.read', pattern: '**/.env', action: 'ask' },
    ],
    answers: [{ outcome: 'allow' }],
  });
  const gate = await admitted(hosted, hostedSearch, { path: 'src' });
  const touch = async (name: string) => {
    const target = path.join(hosted.workspace, name);
    return (await gate.authorize({ capability: 'fs.read', target })).ok;
  };
  assert.equal(await touch('src/a.ts'), true);
  assert.equal(await touch('src/.env'), false);
});

test('a deny that was stored later also applies to an approved file', async () => {
  using hosted = openHosted({ answers: [{ outcome: 'allow' }] });
  const gate = await admitted(hosted, hostedWrite, { path: 'a.txt', content: '' });
  const touch = { capability: 'fs.write', target: path.join(hosted.workspace, 'a.txt') } as const;
  hosted.rules = sessionRules([{ permission: 'write', pattern: 'a.txt', action: 'deny' }]);
  assert.equal((await gate.authorize(touch)).ok, false);
});

test('CA-37 a link that replaced an allowed file is evaluated by its target', async () => {
  using hosted = openHosted({
    rules: [
      { permission: 'write', pattern: '**', action: 'allow' },
      { permission: 'write', pattern: 'kept/**', action: 'deny' },
    ],
  });
  const file = path.join(hosted.workspace, 'a.txt');
  mkdirSync(path.join(hosted.workspace, 'kept'));
  writeFileSync(file, '');
  const gate = await admitted(hosted, hostedWrite, { path: 'a.txt', content: '' });
  unlinkSync(file);
  symlinkSync('kept/secret', file);
  assert.equal((await gate.authorize({ capability: 'fs.write', target: file })).ok, false);
});

test('CA-38 a redirect to another host is asked about, and reported', async () => {
  using hosted = openHosted({ rules: [ALLOW_DOCS], answers: [{ outcome: 'allow' }] });
  const gate = await admitted(hosted, hostedFetch, { url: FROM });
  const touch = (target: string) => gate.authorize({ capability: 'net.fetch', target });
  assert.equal((await touch(FROM)).ok, true);
  assert.equal((await touch(TO)).ok, true);
  assert.equal((await touch(TO)).ok, true, 'once is enough');
  assert.equal(hosted.asks[0]?.title, `web_fetch continues to ${TO}`);
  assert.equal(hosted.asks[0]?.isAside, true);
  assert.deepEqual(hosted.events.map(toShort), ['call allow by rule', 'touch allow by user']);
});

test('CA-38 a redirect that a rule allows is reported too', async () => {
  using hosted = openHosted({ rules: [ALLOW_DOCS, { ...ALLOW_DOCS, pattern: 'cdn.example' }] });
  const gate = await admitted(hosted, hostedFetch, { url: FROM });
  assert.equal((await gate.authorize({ capability: 'net.fetch', target: TO })).ok, true);
  assert.deepEqual(hosted.events.map(toShort), ['call allow by rule', 'touch allow by rule']);
});

for (const action of ['allow', 'deny'] as const) {
  test(`VC-38 a pending redirect is settled when a stored rule decides ${action}`, async () => {
    const asked = Promise.withResolvers<void>();
    using hosted = openHosted({
      rules: [ALLOW_DOCS],
      ask: () => {
        asked.resolve();
        return new Promise(() => undefined);
      },
    });
    const gate = await admitted(hosted, hostedFetch, { url: FROM });
    const touched = gate.authorize({ capability: 'net.fetch', target: TO });
    await asked.promise;
    hosted.rules = sessionRules([ALLOW_DOCS, { ...ALLOW_DOCS, pattern: 'cdn.example', action }]);
    await hosted.asks[0]?.reevaluate();
    assert.equal((await touched).ok, action === 'allow');
    assert.equal(hosted.events.map(toShort).at(-1), `touch ${action} by rule`);
  });
}

test('a redirect is denied when no user can be asked', async () => {
  using hosted = openHosted({ rules: [ALLOW_DOCS], headless: true });
  const gate = await admitted(hosted, hostedFetch, { url: FROM });
  assert.equal((await gate.authorize({ capability: 'net.fetch', target: TO })).ok, false);
  assert.equal(hosted.events.map(toShort).at(-1), 'touch deny by headless');
});

for (const stored of [
  { ...ALLOW_DOCS, pattern: 'cdn.example', action: 'deny' },
  { permission: 'web_fetch', pattern: '198.51.100.7', action: 'deny' },
]) {
  test(`an answer about a redirect lifts no deny of ${stored.pattern} that came meanwhile`, async () => {
    using hosted = openHosted({
      rules: [ALLOW_DOCS, { ...ALLOW_DOCS, pattern: '198.51.100.7', action: 'ask' }],
      ask: async () => {
        hosted.rules = sessionRules([ALLOW_DOCS, stored]);
        return { outcome: 'allow' };
      },
    });
    const gate = await admitted(hosted, hostedFetch, { url: FROM });
    const touched =
      stored.pattern === 'cdn.example'
        ? gate.authorize({ capability: 'net.fetch', target: TO })
        : gate.authorizeAddress('https://198.51.100.7/');
    assert.equal((await touched).ok, false);
    assert.equal(hosted.events.map(toShort).at(-1), 'touch deny by rule');
  });
}
