import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toReviewedChanges } from '../../../../../src/host/session/copy/reviewedChanges.ts';
import type { FileSystem } from '../../../../../src/runtime/runtime.ts';
import type { CopyChange } from '../../../../../src/runtime/sandbox/changes/changes.ts';
import { cpuTime } from '../../../cpuTime.ts';

const noFiles = {} as FileSystem;

function toFolder(folder: string, path: string, kind: CopyChange['kind'] = 'folder'): CopyChange {
  const [file, copy] = [Buffer.from(`${folder}/${path}`), Buffer.from(`/copy/${path}`)];
  return { ...{ folder, path, file, copy, kind }, isUtf8: true, type: 'added', isConflict: false };
}

test('100,000 new folders are too many to review, which is known soon', async () => {
  const folders = Array.from({ length: 100_000 }, (_, at) => toFolder('/w', `d${at % 100}/e${at}`));
  const took = await cpuTime(async () => {
    const reviewed = await toReviewedChanges(folders, folders, noFiles);
    assert.deepEqual(reviewed, { ok: false, error: 'It changes 100000 files.' });
  });
  assert.ok(took < 2000, `${took} ms`);
});

test('a new folder is left out of the review only if a change of the same workspace folder lies in it', async () => {
  const made = [toFolder('/w', 'a'), toFolder('/w', 'b'), toFolder('/other', 'a')];
  const all = [...made, toFolder('/w', 'a/x', 'special'), toFolder('/w', 'b/c')];
  const reviewed = await toReviewedChanges(made, all, noFiles);
  assert.ok(reviewed.ok);
  assert.deepEqual(
    reviewed.data.others.map(({ entry }) => entry.path),
    ['/w/b', '/other/a'],
  );
});
