import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSearch } from '../../../../src/runtime/search/search.ts';
import { openBed } from '../../tools/bed.ts';

test('a folder that the gate refuses is not searched', async () => {
  using bed = openBed();
  const refused = { ok: false, error: 'not this one' } as const;
  const search = createSearch({
    folders: { workspace: [bed.workspace], adHoc: [], cwd: bed.workspace },
    gate: {
      authorize: async () => refused,
      authorizeAddress: async () => refused,
      realPath: () => undefined,
      filterBelow: () => undefined,
    },
    signal: new AbortController().signal,
  });
  assert.deepEqual(await search.files({ directory: '.', pattern: '*' }), refused);
  assert.deepEqual(
    await search.grep({ directory: '.', pattern: 'x', output: 'files', limit: 9 }),
    refused,
  );
});
