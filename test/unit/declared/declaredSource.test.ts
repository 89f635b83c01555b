import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { createDeclaredSource } from '../../../src/declared/declaredSource.ts';
import { toDigest } from '../../../src/declared/runloop/parseBundle.ts';
import type { ToolOffer } from '../../../src/tools/toolSource.ts';
import { place, ROOT } from './running.ts';

after(() => rmSync(ROOT, { recursive: true, force: true, maxRetries: 5 }));

const AGENTCLI = JSON.stringify({
  tools: [{ name: 'clock', description: 'Tells the time.', command: ['./tools/bin/clock'] }],
});
const RUNLOOP = JSON.stringify({
  version: 1,
  tools: [
    {
      id: 'load',
      description: 'Loads.',
      transport: { kind: 'http', method: 'GET', url: 'https://api.example/x' },
      input_schema: {},
      result_schema: {},
    },
  ],
});
const CAPS = '[capabilities]\nnet = ["api.example"]\n';

const FILES = { 'tools.json': AGENTCLI, 'tools/bin/clock': '#!/bin/sh\n' };
const BUNDLE = {
  'tools.json': RUNLOOP,
  'policy.caps': CAPS,
  'manifest.toml': `name = "shop"\n[artifacts.tools]\npath = "tools.json"\nblake3 = "${toDigest(Buffer.from(RUNLOOP))}"\n`,
};

/** A source over a new folder, at a time when no file of the test is young. */
function open(files: Readonly<Record<string, string>>, { isLater = true } = {}) {
  const folder = place(files);
  const overrides = path.join(folder, '..', 'overrides');
  let acceptances = 0;
  let looks = 0;
  const source = createDeclaredSource({
    env: { PATH: process.env['PATH'] ?? '' },
    secrets: { get: async () => undefined },
    audit: () => undefined,
    overrides,
    accepted: {
      has: () => true,
      stamp: () => {
        looks++;
        return String(acceptances);
      },
    },
    now: () => Date.now() + (isLater ? 60_000 : 0),
  });
  const load = (trusted = true) =>
    source.tools({
      ...{ id: 's', agent: 'gatehouse', folders: [folder], trusted, searchHosts: [] },
      ...{ timeoutMs: 1000, schemaMs: 1000, confirmExternalActions: true },
    });
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text, { mode: 0o755 });
  };
  return { folder, load, write, accept: () => acceptances++, looks: () => looks };
}

const ids = ({ tools }: ToolOffer) => tools.map(({ tool }) => tool.id);

test('an offer is reused while nothing that was read for it changed', async () => {
  const { load, folder } = open(FILES);
  const offer = await load();
  assert.deepEqual(
    offer.tools.map(({ tool, file, pointer }) => [tool.id, file, pointer]),
    [['workspace_clock', path.join(folder, 'tools.json'), '/tools/0']],
  );
  assert.equal(await offer.isCurrent?.(), true);
});

const CHANGES: Readonly<Record<string, (opened: ReturnType<typeof open>) => void>> = {
  'an edited manifest': ({ write }) => write('tools.json', AGENTCLI.replace('Tells', 'Shows')),
  'a manifest that goes': ({ folder }) => rmSync(path.join(folder, 'tools.json')),
  'another program': ({ write }) => write('tools/bin/clock', '#!/bin/sh\nexit 1\n'),
  'a new manifest below': ({ write }) => write('more/tools.json', AGENTCLI),
  'a file beside it that makes it another dialect': ({ write }) => write('policy.caps', CAPS),
  'an acceptance': ({ accept }) => accept(),
};

for (const [name, change] of Object.entries(CHANGES)) {
  test(`${name} ends an offer`, async () => {
    const opened = open(FILES);
    const offer = await opened.load();
    change(opened);
    assert.equal(await offer.isCurrent?.(), false);
  });
}

test("the user's override of a bundle applies from the next offer", async () => {
  const { load, write } = open(BUNDLE);
  const before = await load();
  assert.deepEqual([ids(before), await before.isCurrent?.()], [['shop_load'], true]);
  write('../overrides/shop.toml', '[capabilities]\nnet = []\n');
  assert.equal(await before.isCurrent?.(), false);
  const narrowed = await load();
  assert.deepEqual(ids(narrowed), []);
  write('../overrides/shop.toml', 'not toml');
  assert.equal(await narrowed.isCurrent?.(), false);
  assert.match(
    (await load()).notOffered[0]?.why ?? '',
    /override of shop's capabilities is broken/,
  );
});

test('an offer from files that were just written is not reused', async () => {
  const offer = await open(FILES, { isLater: false }).load();
  assert.deepEqual([ids(offer), await offer.isCurrent?.()], [['workspace_clock'], false]);
});

test('in an untrusted workspace nothing is read or looked at', async () => {
  const { load, looks } = open(FILES);
  assert.deepEqual(await load(false), { tools: [], notOffered: [], pending: [] });
  assert.equal(looks(), 0);
});
