import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { findDeclared } from '../../../src/declared/load.ts';
import { diskSurroundings } from '../../../src/declared/manifest/parseSurroundings.ts';
import { place, ROOT } from './running.ts';

after(() => rmSync(ROOT, { recursive: true, force: true, maxRetries: 5 }));

test('a manifest in two workspace folders belongs to the inner one, whatever their order', async () => {
  const outer = place({
    'inner/tools.json': '{"tools": [{"name": "x", "command": ["./tools/bin/x"]}]}',
    'inner/tools/bin/x': '',
  });
  const inner = path.join(outer, 'inner');
  for (const folders of [
    [outer, inner],
    [inner, outer],
  ]) {
    const options = { surroundings: diskSurroundings({}), schemaMs: 30_000 };
    const found = await findDeclared(folders, options);
    const ids = found.flatMap(({ entries }) => entries.map(({ importedId }) => importedId));
    assert.deepEqual(ids, ['workspace_x']);
  }
});
