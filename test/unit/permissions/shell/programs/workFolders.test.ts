import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

/** The option with a folder, or with a file that it writes, in every spelling that the program takes. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  'tar -xf a.tar': ['-C @', '-C@', '-vC@', '--directory=@', '--directory @', '--dir=@', '--cd=@'],
  'tar --one-top-level': ['--one-top-level=@ -xf a.tar'],
  'tar -cf a.tar src': ['-g@', '-g @', '--listed-incremental=@', '--index-file=@'],
  'gtar -xf a.tar': ['-C @', '-C@', '--directory=@'],
  'bsdtar -xf a.tar': ['-C @', '-C@', '--directory=@', '--cd=@'],
  'unzip x.zip': ['-d @', '-d@', '-od@'],
  'zip x.zip src/a': ['-b @', '-b@', '-qb@'],
  'patch -i x': ['-d @', '-d@', '-sd@', '--directory=@', '--dir=@'],
  'cpio -id': ['-D @', '-D@', '-vD@', '--directory=@'],
  '7z x a.7z': ['-o@'],
  'zstd x': ['-o @', '-o@', '--output-dir-flat=@', '--output-dir-mirror=@', '-D@'],
};

for (const [start, forms] of Object.entries(SPELLINGS)) {
  const [program = ''] = start.split(' ');
  const rules = [`bash ${program} * allow`, 'fs.* ** allow', 'fs.* secrets/** deny'];
  test(`a folder that ${start} is sent to is denied, however it is given`, async () => {
    for (const form of forms) {
      const denied = `${start} ${form.replace('@', 'secrets/x')}`;
      assert.equal((await evaluateBash(denied, rules)).decision, 'deny', denied);
    }
  });
}

test('a folder of the workspace that no rule denies asks no more than the same line with a space', async () => {
  const rules = ['bash tar * allow', 'bash zip * allow', 'bash zstd * allow', 'fs.* ** allow'];
  for (const line of ['tar -cf a.tar -g@ src', 'zip x.zip -b@ src/a', 'zstd x -o@']) {
    for (const folder of ['out', ' out'])
      assert.equal((await evaluateBash(line.replace('@', folder), rules)).decision, 'allow', line);
  }
});
