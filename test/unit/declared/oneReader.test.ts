import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const SOURCE = path.resolve(import.meta.dirname, '../../../src');

/** Where manifests, caps, settings, acceptances and overrides are read. */
const READERS = ['declared', 'language-server', 'agentDefinitions', 'host/config', 'host/cli'];

/** Files that read something else, or through a check of their own. */
const OTHERS: readonly string[] = [
  // Definitions of agents, which must not be links either.
  'agentDefinitions/discover.ts',
  // A file that the user names as the value of an option.
  'host/cli/jsonOption.ts',
];

test('files of others are read through base/disk/readRegular.ts alone', () => {
  const files = READERS.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: SOURCE }));
  assert.ok(files.length > 50);
  const reading = files.filter((file) =>
    /\b(?:readFile|readFileSync|openSync|open|readSync|createReadStream|openAsBlob)\b[^;]*from 'node:fs/.test(
      readFileSync(path.join(SOURCE, file), 'utf8'),
    ),
  );
  assert.deepEqual(reading.toSorted(), OTHERS);
});
