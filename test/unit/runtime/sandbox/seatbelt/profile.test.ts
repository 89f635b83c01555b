import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  buildProfile,
  type LookView,
} from '../../../../../src/runtime/sandbox/seatbelt/profile.ts';

const VIEW: LookView = {
  workspace: ['/Users/me/my (first) work'],
  tools: ['/Users/me/.nvm'],
  masks: ['/Users/me/my (first) work/.env'],
  temporary: '/Users/me/data/tmp',
};

function build(view: Partial<LookView> = {}): string {
  const built = buildProfile({ ...VIEW, ...view });
  assert.ok(built.ok);
  return built.data;
}

/** The files that a rule names. */
function named(profile: string, rule: string): readonly string[] {
  const text = profile.split(/^\(/m).find((each) => each.startsWith(`${rule}\n`)) ?? '';
  return [...text.matchAll(/\((?:subpath|literal) "(.*)"\)/g)].map(([, file = '']) => file);
}

test('a look denies by default, and nothing but temporary files and two devices is writable', () => {
  const profile = build();
  assert.ok(profile.startsWith('(version 1)\n(deny default)\n'));
  assert.deepEqual(named(profile, 'allow file-write*'), [VIEW.temporary]);
  assert.deepEqual(named(profile, 'allow file-write-data'), ['/dev/null', '/dev/zero']);
  assert.equal(profile.match(/allow file-write/g)?.length, 2);
  assert.doesNotMatch(profile, /allow network|allow mach-lookup \*|allow default|import/);
  assert.equal(profile.match(/global-name/g)?.length, 1);
});

test('a look reads the system, the tools and the workspace, and no other folder of the user', () => {
  const profile = build();
  const read = named(profile, 'allow file-read*');
  for (const file of ['/usr', '/System', ...VIEW.workspace, ...VIEW.tools, VIEW.temporary]) {
    assert.ok(read.includes(file), file);
    assert.ok(named(profile, 'allow process-exec').includes(file), file);
  }
  assert.ok(!read.some((file) => ['/', '/Users', '/Users/me', '/private', '/dev'].includes(file)));
  const metadata = named(profile, 'allow file-read-metadata');
  for (const file of ['/', '/Users', '/Users/me']) assert.ok(metadata.includes(file), file);
});

test('what is hidden is denied last, so that it wins over what is shown', () => {
  const profile = build();
  const rule = 'deny file-read* file-write* process-exec';
  assert.ok(named(profile, rule).includes('/Users/me/my (first) work/.env'));
  assert.ok(named(profile, rule).includes('/private/etc/sudoers.d'));
  assert.ok(profile.indexOf(`(${rule}`) > profile.lastIndexOf('(allow '));
});

for (const [what, name] of [
  ['a quote', 'a"b'],
  ['a backslash', 'a\\b'],
  ['a line feed', 'a\nb'],
  ['a NUL', 'a\0b'],
  ['bytes that are not UTF-8', 'a\ufffdb'],
  ['half a character', 'a\ud800b'],
] as const) {
  test(`a path with ${what} is refused wherever it is named`, () => {
    const file = `/Users/me/${name}`;
    const views: readonly Partial<LookView>[] = [
      { workspace: [file] },
      { tools: [file] },
      { masks: [file] },
      { temporary: file },
    ];
    for (const view of views) {
      const built = buildProfile({ ...VIEW, ...view });
      assert.match(built.ok ? '' : built.error, /^The sandbox of this system can't name "/);
    }
  });
}

test('spaces, brackets, semicolons and other letters stand for themselves', () => {
  const odd = "/Users/me/a (b) ;c #| d |# 'e' ü 文 $f";
  assert.ok(named(build({ workspace: [odd] }), 'allow file-read*').includes(odd));
  assert.equal(buildProfile({ ...VIEW, workspace: ['work'] }).ok, false, 'a relative path');
});
