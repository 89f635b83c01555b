import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Outcome } from '../../../../src/base/outcome.ts';
import { createJournal } from '../../../../src/runtime/files/journal.ts';
import { createLocalFiles } from '../../../../src/runtime/files/localFiles.ts';
import type { Gate } from '../../../../src/runtime/runtime.ts';
import { type Bed, openBed } from '../../tools/bed.ts';

test('a file that was read is deleted, and nothing else', async () => {
  using bed = openBed();
  const { remove, at } = open(bed);
  writeFileSync(at('other'), 'other');
  assert.deepEqual(await remove('f'), { ok: true, data: undefined });
  assert.deepEqual([existsSync(at('f')), existsSync(at('other'))], [false, true]);
});

test('a file that changed after it was read is not deleted', async () => {
  using bed = openBed();
  const { remove, at } = open(bed);
  const removed = await remove('f', () => writeFileSync(at('f'), 'somebody wrote this'));
  assert.match(removed.ok ? '' : removed.error, /changed after it was read/);
  assert.equal(readFileSync(at('f'), 'utf8'), 'somebody wrote this');
});

test('a link that replaced the file is not followed', async () => {
  using bed = openBed();
  const { remove, at } = open(bed);
  const removed = await remove('f', () => {
    renameSync(at('f'), at('moved'));
    symlinkSync('moved', at('f'));
  });
  assert.equal(removed.ok, false);
  assert.ok(existsSync(at('moved')) && existsSync(at('f')));
});

test('a file that the gate does not let write is not deleted', async () => {
  using bed = openBed();
  let allowed = true;
  const { remove, at } = open(bed, async () =>
    allowed ? { ok: true, data: undefined } : { ok: false, error: 'No.' },
  );
  const removed = await remove('f', () => {
    allowed = false;
  });
  assert.deepEqual(removed, { ok: false, error: 'No.' });
  assert.ok(existsSync(at('f')));
});

function open(
  bed: Bed,
  authorize: Gate['authorize'] = async () => ({ ok: true, data: undefined }),
) {
  const at = (name: string) => path.join(bed.workspace, name);
  writeFileSync(at('f'), 'text');
  const files = createLocalFiles({
    folders: { workspace: [bed.workspace], adHoc: [], cwd: bed.workspace },
    gate: {
      realPath: () => undefined,
      authorize,
      filterBelow: () => undefined,
      authorizeAddress: async () => ({ ok: true, data: undefined }),
    },
    journal: createJournal(path.join(bed.data, 'state')),
    signal: new AbortController().signal,
  });
  async function remove(
    name: string,
    meanwhile: () => void = () => undefined,
  ): Promise<Outcome<void>> {
    const read = await files.readForChange(name);
    assert.ok(read.ok && read.data);
    using file = read.data;
    meanwhile();
    return files.remove(file);
  }
  return { remove, at };
}
