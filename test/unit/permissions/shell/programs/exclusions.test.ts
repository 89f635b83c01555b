import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Exclusion } from '../../../../../src/permissions/shell/acts.ts';
import {
  addExclusions,
  findExclusions,
  getExclusionKinds,
  leavesOut,
} from '../../../../../src/permissions/shell/programs/exclusions.ts';
import {
  deletesThere,
  findArrival,
  findIncluded,
  maySearchHere,
} from '../../../../../src/permissions/shell/programs/filters.ts';
import { PROGRAMS } from '../../../../../src/permissions/shell/programs/tables/programTable.ts';

/** Words without quotes; one that starts with `$` isn't literal. */
function words(line: string) {
  return line.split(' ').map((value) => ({ value, literal: !value.startsWith('$') }));
}

/** What a line leaves out, as `kind pattern`. */
function shown(line: string): string {
  return findExclusions(words(line))
    .map(({ kind, pattern }) => `${kind} ${pattern}`)
    .join(', ');
}

for (const [line, expected] of [
  ['grep --exclude=.env -r x .', 'file .env'],
  ['grep -r --exclude-dir=out --exclude=*.log x .', 'folder out, file *.log'],
  ['/usr/bin/egrep --exclude=a -r x', 'file a'],
  ['fgrep x --exclude=a', 'file a'],
  ['rgrep --exclude=a x', 'file a'],
  ['grep -e --exclude=a -r x', ''],
  ['grep -r x -- --exclude=a', ''],
  ['grep --exclude=a --include=b -r x', ''],
  ['grep --include=b --exclude=a -r x', 'file a'],
  ['grep --include=b --exclude=a --inc=c --exclude=d -r x', 'file d'],
  ['grep --exclude=a/b -r x', ''],
  ['grep --exclude=[ab] -r x', ''],
  ['grep --exclude= -r x', ''],
  ['grep --exclude=.. -r x', ''],
  ['grep --exclude=a** -r x', ''],
  ['grep --exclude=-a -r x', ''],
  ['ugrep --exclude=a -r x', ''],
  ['rg -g !.env x', 'any .env'],
  ['rg -g!.env x', 'any .env'],
  ['rg --glob=!.env x', 'any .env'],
  ['rg --glob !.env x', 'any .env'],
  ['rg --iglob !.env x', ''],
  ['rg -g .env x', ''],
  ['rg -g !a -g b x', ''],
  ['rg -g b -g !a x', 'any a'],
  ['rg -g b -g !a -g !c x', 'any a, any c'],
  ['rg -e -g !a x', ''],
  ['rg x -- -g !a', ''],
  ['rg -g $a x', ''],
  ['rg -ng!a x', ''],
  ['rg -g !a/b x', ''],
  ['tar --exclude=a cf x.tar .', ''],
  ['tar cf x.tar --exclude=a .', 'any a'],
  ['tar cf x.tar --exclude=a/b .', ''],
  ['tar -czf x.tar --exclude=a --exclude=b .', 'any a, any b'],
  ['tar czf x.tar . --exclude=a', ''],
  ['tar czf x.tar --exclude=a . --exclude=b', 'any a'],
  ['tar xzvf x.tar --exclude=a', ''],
  ['tar czfC x.tar --exclude=a .', ''],
  ['rsync --exclude=a -a . h:', 'any a'],
  ['rsync -a --exclude=a . h:', 'any a'],
  ['rsync -av --delete . h: --exclude a --exclude=b', 'any a, any b'],
  ['rsync . --exclude=a/ h:', 'folder a'],
  ['rsync -e ssh --exclude=a . h:', 'any a'],
  ['rsync -e --exclude=a . h:', ''],
  ['rsync --rsh --exclude=a . h:', ''],
  ['rsync --rsh --exclude --exclude=a . h:', ''],
  ['rsync --exclude --exclude=a . h:', ''],
  ['rsync --exclude --include --exclude=a . h:', 'any a'],
  ['rsync -a -- --exclude=a h:', ''],
  ['rsync --include=b --exclude=a . h:', ''],
  ['rsync --include b --exclude=a . h:', ''],
  ['rsync --rsh --include=b --exclude=a . h:', ''],
  ['rsync --exclude=a --include=a . h:', 'any a'],
  ['rsync -a --exclude=a --filter=! . h:', ''],
  ['rsync -a --exclude=a -f ! . h:', ''],
  ['rsync -aF --exclude=a . h:', ''],
  ['rsync -aC --exclude=a . h:', ''],
  ['rsync -a --exclude=a --exclude-from=f . h:', ''],
  ['rsync -a --exclude=a --include-from f . h:', ''],
  ['rsync -a --exclude=a --exclude=! . h:', ''],
  ['rsync -a --exclude=a --include ! . h:', ''],
  ['rsync -a --exclude=a --delete --delete-excluded . h:', ''],
  ['rsync -a --exclude=a/b . h:', ''],
  ['rsync -a --exclude=a? . h:', ''],
  ['rsync -a $a --exclude=a . h:', ''],
  ['rsync -a --exclude $a . h:', ''],
  ['rsync -a --exclude=/a . h:', 'path a'],
  ['rsync -a --exclude=/a/ ./src/ h:', 'path src/a/'],
  ['rsync -a --exclude /a/b src/. out', 'path src/a/b'],
  ['rsync -a --exclude=/src/a lib/src out', 'path lib/src/a'],
  ['rsync -a --exclude=/a src/ lib/ out', ''],
  ['rsync -a --exclude=/a src/', ''],
  ['rsync -a --exclude=/a', ''],
  ['rsync -a --exclude=/a -T x src/ out', ''],
  ['rsync -aR --exclude=/a src/ out', ''],
  ['rsync -a --relative --exclude=/a src/ out', ''],
  ['rsync -a --exclude=/a /src/ out', ''],
  ['rsync -a --exclude=/a ../src/ out', ''],
  ['rsync -a --exclude=/a h:src/ out', ''],
  ['rsync -a --exclude=/a* src/ out', ''],
  ['rsync -a --exclude=/a $src out', ''],
  ['rsync -a --exclude=/ src/ out', ''],
  ['diff --exclude=a -r b c', 'any a'],
  ['colordiff --exclude=$a -r b c', 'any $a'],
  ['git grep x :!.env', 'path .env'],
  ['git grep x -- :!.env', 'path .env'],
  ['git grep x :^src/.env', 'path src/.env'],
  ['git grep x :(exclude)src/', 'path src'],
  ['git grep x :(exclude)./a', 'path a'],
  ['git grep x -- :!*.env', 'file *.env'],
  ['git grep x :!*', ''],
  ['git grep x :!a*b', ''],
  ['git grep x :!(a', ''],
  ['git grep x :(exclude,glob)**/.env', 'any .env'],
  ['git grep x :(glob,exclude)**/a*', 'any a*'],
  ['git grep x :(exclude,icase)a', ''],
  ['git grep -e :!a', ''],
  ['git add . :!.env', 'path .env'],
  ['git diff . :!.env', 'path .env'],
  ['git log . :!.env', ''],
  ['ls --exclude=a', ''],
] as const) {
  test(`${line} leaves out ${expected || 'nothing'}`, () => {
    assert.equal(shown(line), expected);
  });
}

test('options are added where they count', () => {
  const added = (line: string, ...wanted: readonly [Exclusion['kind'], string][]) =>
    addExclusions(
      words(line),
      wanted.map(([kind, pattern]) => ({ kind, pattern })),
    )
      ?.map(({ value }) => value)
      .join(' ');
  assert.equal(added('grep -r x .', ['file', '.env']), 'grep --exclude=.env -r x .');
  assert.equal(added('grep -r x .', ['folder', 'out']), 'grep --exclude-dir=out -r x .');
  assert.equal(
    added('grep -r --include=a x .', ['file', 'b']),
    'grep -r --include=a --exclude=b x .',
  );
  assert.equal(added('grep -r x .', ['path', 'a']), undefined);
  assert.equal(added('grep -r x .', ['file', 'a/b']), undefined);
  assert.equal(added('grep -r x .', ['file', 'a'], ['file', 'b/c']), undefined);
  assert.equal(added('grep -r x .'), undefined);
  assert.equal(added('ls -R', ['file', 'a']), undefined);
  assert.equal(added('rg x .', ['any', 'a'], ['any', 'b']), 'rg -g !a -g !b x .');
  assert.equal(added('rg -g b x .', ['any', 'a']), 'rg -g b x -g !a .');
  assert.equal(added('rg -g b x -- .', ['any', 'a']), 'rg -g b x -g !a -- .');
  assert.equal(added('rg x', ['file', 'a']), undefined);
  assert.equal(added('tar cf x.tar .', ['any', 'a']), 'tar cf x.tar --exclude=a .');
  assert.equal(added('diff -r a b', ['any', 'c']), 'diff --exclude=c -r a b');
  assert.equal(added('diff -r a b', ['file', 'c']), undefined);
  assert.equal(added('git grep x', ['path', 'a']), 'git grep x -- :!a');
  assert.equal(added('git grep x', ['path', 'a/b']), undefined);
  assert.equal(added('git grep x', ['file', '.env']), 'git grep x -- :!*.env');
  assert.equal(added('git grep x', ['file', 'a*']), undefined);
  assert.deepEqual(getExclusionKinds(words('rg x')), ['any']);
  assert.deepEqual(getExclusionKinds(words('git add .')), ['path', 'file']);
  assert.deepEqual(getExclusionKinds(words('git log')), []);
  assert.deepEqual(getExclusionKinds([]), []);
});

test('a file below the folder is left out by its name, its folders or its path', () => {
  const leaves = (kind: Exclusion['kind'], pattern: string, name: string, folder = false) =>
    leavesOut([{ kind, pattern }], name, `src/${name}`, folder);
  assert.equal(leaves('file', '.env', 'a/.env'), true);
  assert.equal(leaves('file', '.env', '.env/a'), false);
  assert.equal(leaves('file', '.env', 'a/.env', true), false);
  assert.equal(leaves('file', '*.env', 'a/x.env'), true);
  assert.equal(leaves('file', '*.env', 'a/x.envy'), false);
  assert.equal(leaves('file', 'a*a', 'a'), false);
  assert.equal(leaves('file', 'a*a', 'aa'), true);
  assert.equal(leaves('file', 'a*b*c', 'abc'), false);
  assert.equal(leaves('file', 'a*b*c', 'a*b*c'), true);
  assert.equal(leaves('folder', 'out', 'out/a'), true);
  assert.equal(leaves('folder', 'out', 'a/out'), false);
  assert.equal(leaves('folder', 'out', 'a/out', true), true);
  assert.equal(leaves('any', 'out', 'out/a'), true);
  assert.equal(leaves('any', 'out', 'a/out'), true);
  assert.equal(leaves('path', 'src/a', 'a'), true);
  assert.equal(leaves('path', 'src/a', 'a/b'), true);
  assert.equal(leaves('path', 'src/a', 'ab'), false);
  assert.equal(leaves('path', 'src/a/', 'a'), false);
  assert.equal(leaves('path', 'src/a/', 'a', true), true);
  assert.equal(leaves('path', 'src/a/', 'a/b'), true);
  assert.equal(leavesOut([{ kind: 'path', pattern: 'a' }], 'a', undefined, false), false);
  assert.equal(leavesOut([], 'a', 'a', false), false);
});

test('grep includes names, for certain unless the option may be a value', () => {
  const included = (line: string) => {
    const found = findIncluded(words(line));
    return found && `${found.names.join(',')} ${found.certain}`;
  };
  assert.equal(included('grep -r x .'), undefined);
  assert.equal(included('grep -r --include=*.ts x .'), '*.ts true');
  assert.equal(included('grep -rn --inc=*.ts --include=*.js x .'), '*.ts,*.js true');
  assert.equal(included('grep --include *.ts -r x'), '*.ts false');
  assert.equal(included('grep -r x --include'), '* false');
  assert.equal(included('grep -e --include=a -r x'), 'a false');
  assert.equal(included('grep --color=auto --include=a -r x'), 'a true');
  assert.equal(included('grep --color --include=a -r x'), 'a false');
  assert.equal(included('grep -r x -- --include=a'), 'a false');
  assert.equal(included('grep -r x --include=a -- b --include=c'), 'a,c false');
  assert.equal(
    findIncluded([...words('grep -r x'), { value: '--include=$a', literal: false }])?.certain,
    false,
  );
});

test('copies arrive below the last operand, unless an option names the folder', () => {
  const arrival = (line: string, ...operands: readonly number[]) =>
    findArrival(line.split(' ')[0] ?? '', words(line), operands);
  assert.equal(arrival('cp -r a b', 2, 3), 3);
  assert.equal(arrival('scp -r a b h:', 2, 3, 4), 4);
  assert.equal(arrival('rsync -at a b', 2, 3), 3);
  assert.equal(arrival('cp a', 1), undefined);
  assert.equal(arrival('cp -t a b c', 3, 4), undefined);
  assert.equal(arrival('cp -rt a b c', 3, 4), undefined);
  assert.equal(arrival('cp --target-directory=a b c', 2, 3), undefined);
  assert.equal(arrival('mv a b', 1, 2), undefined);
  assert.equal(deletesThere(words('rsync --delete a b')), true);
  assert.equal(deletesThere(words('rsync --remove-source-files a b')), true);
  assert.equal(deletesThere(words('rsync -a a b')), false);
});

test('a search may be one of the current folder', () => {
  const here = (line: string, ...operands: readonly number[]) => {
    const name = line.split(' ')[0] ?? '';
    const program = PROGRAMS[name];
    assert.ok(program, name);
    return maySearchHere(name, program, words(line), operands);
  };
  assert.equal(here('grep x', 1), true);
  assert.equal(here('grep x a', 1, 2), false);
  assert.equal(here('rg x', 1), true);
  assert.equal(here('rg x src', 1, 2), false);
  assert.equal(here('rg -e x src', 3), false);
  assert.equal(here('rg -e x', 2), true);
  assert.equal(here('grep -e x src', 3), false);
  assert.equal(here('grep -ie x src', 3), false);
  assert.equal(here('grep --regexp=x src', 2), false);
  assert.equal(here('grep -i x', 2), true);
  assert.equal(here('cat x', 1), false);
});
