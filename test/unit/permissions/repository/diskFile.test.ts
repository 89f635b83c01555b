import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { exists, isOnDisk } from '../../../../src/permissions/repository/diskFile.ts';
import { plantWorkspace } from '../ask.ts';

function idOf(content: string, algorithm = 'sha1'): string {
  return createHash(algorithm)
    .update(`blob ${Buffer.byteLength(content)}\0${content}`)
    .digest('hex');
}

const MB = 1024 * 1024;
const root = plantWorkspace(['plain', 'runs', 'dir/below', 'module/x']);
writeFileSync(path.join(root, 'plain'), 'text');
writeFileSync(path.join(root, 'runs'), 'text');
chmodSync(path.join(root, 'runs'), 0o755);
writeFileSync(path.join(root, 'greatest'), 'x'.repeat(4 * MB));
writeFileSync(path.join(root, 'greater'), 'x'.repeat(4 * MB + 1));
symlinkSync('plain', path.join(root, 'link'));
symlinkSync('dir', path.join(root, 'linked'));
writeFileSync(path.join(root, 'dir/below'), 'text');
mkdirSync(path.join(root, 'empty'));

const [FILE, RUNS, LINK, SUBMODULE] = ['100644', '100755', '120000', '160000'];
const TEXT = idOf('text');

for (const [promise, name, mode, id, expected] of [
  ['a file with the same content', 'plain', FILE, TEXT, true],
  ['a file in a repository of SHA-256', 'plain', FILE, idOf('text', 'sha256'), true],
  ['other content', 'plain', FILE, idOf('texts'), false],
  ['a program with the same content', 'runs', RUNS, TEXT, true],
  ['a program where a plain file is', 'plain', RUNS, TEXT, false],
  ['a plain file where a program is', 'runs', FILE, TEXT, false],
  ['a file that is missing', 'none', FILE, TEXT, false],
  ['a folder where a file should be', 'empty', FILE, idOf(''), false],
  ['a file below a folder', 'dir/below', FILE, TEXT, true],
  ['a file below a link to a folder', 'linked/below', FILE, TEXT, false],
  ['the largest file that is compared', 'greatest', FILE, idOf('x'.repeat(4 * MB)), true],
  ['a larger file', 'greater', FILE, idOf('x'.repeat(4 * MB + 1)), false],
  ['a link to the same place', 'link', LINK, idOf('plain'), true],
  ['a link to another place', 'link', LINK, idOf('plain2'), false],
  ['a link where a file is', 'plain', LINK, TEXT, false],
  ['a file where a link is', 'link', FILE, TEXT, false],
  ['a submodule where a folder is', 'module', SUBMODULE, 'any', true],
  ['a submodule where a file is', 'plain', SUBMODULE, 'any', false],
] as const) {
  test(`${promise} is ${expected ? 'the same' : 'another'} on disk`, async () => {
    assert.equal(await isOnDisk({ name, mode, id }, root), expected);
  });
}

test('a name exists if a file, a folder or a link has it, even one that leads nowhere', async () => {
  symlinkSync('nowhere', path.join(root, 'dangling'));
  for (const name of ['plain', 'empty', 'link', 'dangling', 'dir/below'])
    assert.equal(await exists(name, root), true, name);
  for (const name of ['none', 'plain/below', 'none/below'])
    assert.equal(await exists(name, root), false, name);
});
