import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { diskSurroundings } from '../../../src/declared/manifest/parseSurroundings.ts';
import type { ValidateOptions } from '../../../src/declared/validateManifests.ts';
import { findNewError } from '../../../src/declared/validateNew.ts';
import { place, ROOT } from './running.ts';

after(() => rmSync(ROOT, { recursive: true, force: true, maxRetries: 5 }));

const OTHER = '{"tools": [{"name": "y", "command": ["./tools/bin/y"]}]}';

/** The error of a new `tools.json` beside another manifest. */
function findError(folder: string, more: Partial<ValidateOptions> = {}) {
  const files = { 'new/tools.json': '{"tools": [{"name": "x", "command": ["/bin/true"]}]}' };
  const named = { root: folder, cwd: folder };
  const options = { surroundings: diskSurroundings({}), schemaMs: 10_000, ...more };
  return findNewError({ folder, files }, named, options);
}

test('new files are validated with the dialect that the caller names', async () => {
  const folder = place({ 'old/tools.json': OTHER, 'old/tools/bin/y': '' });
  assert.equal(await findError(folder), undefined);
  assert.match((await findError(folder, { dialect: 'runloop' })) ?? '', /version/);
});

test('the caller is told which folders and files are read', async () => {
  const folder = place({ 'old/tools.json': OTHER, 'old/tools/bin/y': '' });
  const read: string[] = [];
  await findError(folder, { onRead: (file) => void read.push(path.relative(folder, file)) });
  for (const each of ['', 'old', 'old/tools.json']) assert.ok(read.includes(each), read.join());
});
