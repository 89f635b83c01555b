import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { getFingerprint } from '../../../src/declared/acceptance.ts';
import { findDeclared, offerTools } from '../../../src/declared/load.ts';
import { diskSurroundings } from '../../../src/declared/manifest/parseSurroundings.ts';
import { OPTIONS } from './loading.ts';
import { place, ROOT } from './running.ts';

after(() => rmSync(ROOT, { recursive: true, force: true, maxRetries: 5 }));

const toManifest = (...command: string[]) =>
  JSON.stringify({ tools: [{ name: 'clock', description: 'Tells the time.', command }] });
const SHOWN = toManifest('./tools/bin/clock', 'time');
const OTHER = toManifest('./tools/bin/clock', 'evil');

const COMPOZY = {
  'compozy.yaml': 'name: shop\nruntime:\n  type: node\n  entrypoint: ./a.ts\n',
  'tool.yaml': 'resource: tool\nid: clock\ndescription: Tells the time.\n',
  'a.ts': 'export default {};\n',
  'b.ts': 'export default {};\n',
};

/** Loads the manifests of a folder in which a file is replaced between their reading and their acceptance. */
async function load(
  files: Readonly<Record<string, string>>,
  [name, text]: readonly [string, string],
) {
  const folder = place(files);
  const surroundings = diskSurroundings(process.env);
  const read = () => findDeclared([folder], { surroundings, schemaMs: 30_000 });
  const manifests = await read();
  writeFileSync(path.join(folder, name), text, { mode: 0o755 });
  const [now] = await read();
  const print = now && (await getFingerprint(now));
  assert.ok(print?.ok);
  const request = {
    // What is there by now was accepted.
    accepted: { has: (_: string, hash: string) => hash === print.data.hash },
    options: OPTIONS,
  };
  return {
    accepted: await offerTools(manifests, request, surroundings),
    waiting: await offerTools(
      manifests,
      { ...request, accepted: { has: () => false } },
      surroundings,
    ),
  };
}

for (const [what, files, change] of [
  ['a manifest', { 'tools.json': OTHER, 'tools/bin/clock': '#!/bin/sh\n' }, ['tools.json', SHOWN]],
  [
    'a file beside it',
    COMPOZY,
    ['compozy.yaml', COMPOZY['compozy.yaml'].replace('./a.ts', './b.ts')],
  ],
] as const) {
  test(`${what} that changes after it was read is neither offered as accepted nor shown for an acceptance`, async () => {
    const { accepted, waiting } = await load(files, change);
    assert.deepEqual([accepted.tools, waiting.pending], [[], []]);
    for (const { notOffered } of [accepted, waiting]) {
      assert.match(notOffered[0]?.why ?? '', /changed while it was read/);
    }
  });
}
