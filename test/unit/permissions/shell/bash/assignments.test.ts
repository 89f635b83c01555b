import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

/** A variable may change what runs, or only what is printed (C5). */
function check(command: string, expected: string) {
  test(`bash * makes ${JSON.stringify(command)} ${expected}`, async () => {
    const { decision, reason } = await evaluateBash(command, ['bash * allow']);
    assert.equal(decision, expected, reason);
  });
}

for (const command of [
  'CI=1 ls',
  'LC_ALL=C TZ=UTC ls',
  'LC_ALL=en_US.UTF-8; export LANG=C.utf8; ls',
  'CI=1; ls',
  'GIT_OPTIONAL_LOCKS=0 git status',
  'LANGUAGE=de:en ls',
  'GIT_PAGER=cat git log',
  'GIT_PAGER= PAGER=cat git diff',
  'export GIT_PAGER=cat; git log -3',
  'TZ=Europe/Berlin date',
  'env TZ=UTC date',
  'CI= ls',
  // The line's own variable, as that of a loop.
  'a=b; ls',
  'a=b c=d; ls',
  'FILE=b; ls',
  'export CI=1 LC_TIME=C; ls',
  'for i in a b; do ls; done',
  'for CI in a b; do ls; done',
  'select a_2 in a b; do ls; done',
])
  check(command, 'allow');

for (const command of [
  // In these character sets, the byte of an operator may be part of a letter.
  'LC_ALL=ja_JP.SJIS\nls',
  'LANG=zh_CN.GBK; ls',
  'export LC_CTYPE=zh_TW.BIG5; ls',
  // Git updates the index, which runs a hook.
  'GIT_OPTIONAL_LOCKS=1 git status',
  'GIT_PAGER=./cat git log',
  "GIT_PAGER='cat x' git log",
  'PAGER=less git log',
  'export PAGER=./x; git log',
  'for GIT_PAGER in ./x; do git log; done',
  'GIT_OPTIONAL_LOCKS= git status',
  'GIT_OPTIONAL_LOCKS+=1 git status',
  'GIT_OPTIONAL_LOCKS=1; git status',
  'export GIT_OPTIONAL_LOCKS=1; git status',
  'env GIT_OPTIONAL_LOCKS=1 git status',
  'for GIT_OPTIONAL_LOCKS in 1; do git status; done',
  // Files of the project are read as message catalogs and time zones.
  'LANGUAGE=../../../work ls --all',
  'export LANGUAGE=de:/work; ls',
  'LC_ALL=/work/de.UTF-8 ls',
  'LANG=../de.utf8; ls',
  'env LC_MESSAGES=./de.UTF-8 ls',
  // Debconf would run what follows the semicolon.
  "DEBIAN_FRONTEND='x; system(1)' apt list",
  'TZ=:/work/zone date',
  'TZ=/work/zone date',
  'TZ=../../../work/zone date',
  'PATH=. ls',
  'CI=1 PATH=. ls',
  'CI=$x ls',
  'CI=$(pwd) ls',
  'CI=(a b) ls',
  'CI[0]=1 ls',
  'LC_all=C ls',
  'PATH=.; ls',
  'a=$x; ls',
  'a=(b c); ls',
  'a[0]=b; ls',
  'a+=b; ls',
  'A=b; ls',
  'http_proxy=b; ls',
  'npm_config_prefix=b; ls',
  'auto_resume=b; ls',
  'export CI; ls',
  'export CI=$x; ls',
  'export CI=1 PATH=.; ls',
  'for PATH in a b; do ls; done',
  'for LD_PRELOAD in a b; do ls; done',
  'for http_proxy in a b; do curl x; done',
  'for npm_config_prefix in a b; do npm test; done',
  'for auto_resume in a b; do ls; done',
  'for histchars in a b; do ls; done',
  'for a_name_of_many_letters in a b; do ls; done',
])
  check(command, 'ask');

test('a long assignment is shown in part', async () => {
  const { reason } = await evaluateBash(`PATH=${'a'.repeat(100)} ls`, ['bash * allow']);
  assert.equal(reason, `\`PATH=${'a'.repeat(54)}…\` may change what runs.`);
});

for (const command of [
  // With GBK, sed doesn't see the first `|` behind the letter, and writes a file.
  "LC_ALL=zh_CN.GBK sed 's|中|a|;s|w out|c|' f",
  'env LANG=zh_TW.BIG5 awk 1 f',
  'LC_CTYPE=zh_TW ls',
  // Rails would run that file as its settings.
  'RAILS_ENV=../../x ls',
  'env NODE_ENV=a/b ls',
])
  check(command, 'ask');
for (const command of [
  'LC_ALL=en_US sort f',
  'env LC_ALL=C.UTF-8 sort f',
  'LC_CTYPE=UTF-8 sort f',
  'DEBIAN_FRONTEND=noninteractive apt list',
  'LANG= ls',
  'NODE_ENV=test ls',
])
  check(command, 'allow');
