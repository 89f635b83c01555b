import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { runLines } from '../../../../fuzz/groundTruth.ts';
import { evaluateBash } from '../../ask.ts';

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Texts that dash, ash or ksh read in another way than bash. */
const DIFFERENT = [
  '((rm x))',
  '((git))',
  '( (rm x);((git)) )',
  '[[ a > b ]]',
  '[[ a < b ]]',
  "echo $'a'",
  'echo $"a"',
  'ls &> /dev/null',
  'ls &>> /dev/null',
  'ls >& out',
  'ls >&out',
  'ls 2>&1-',
  'cat <(ls)',
  'ls >(cat)',
  'rm {fd}> x',
  'rm 10> x',
  'ls;rm 12< x',
  'echo $[1+1]',
  'echo "$[1+1]"',
  'rm {a,b}',
  'rm {1..3}',
  'cat <<< a',
  'cat << E\na\nE',
  'ls |& cat',
  'case a in a) ls;& b) cat;; esac',
  'case a in a) ls;;& b) cat;; esac',
  'function f { ls; }',
  'select a in b; do ls; done',
  'a=(b c)',
  'chdir /tmp; ls',
  'source x',
  'pushd a; ls',
  'let x=1',
  'builtin ls',
  'coproc ls',
  'time x=1 ls',
  'time -o x ls',
  'time cd src',
  'for ((i=0;i<1;i++)); do ls; done',
  'ls ~+',
  'ls --a=~/x',
  'ls b:~/x',
  'echo @(a|b)',
  'echo ${x:0:1}',
  'echo "${x:-a}"',
  'echo ${x/a/b}',
  'echo ${x@Q}',
  'echo "${x[0]}"',
  'echo "a\\nb"',
  "echo 'a\\nb'",
  'echo -e a | cat',
  '! ! ls',
  'echo `echo \\"a\\"`',
  'l\\\ns',
  'cat =ls',
  'CI+=./x',
  'CI+=./x ls',
  'ls; CI=1 PORT+=2 ls',
  'rm \\\n10> x',
  'ls a\\',
  'ls &\\\n& rm x',
  "ls # it's\nls &> x # don't",
  'echo "$(ls x &> /dev/null)"',
  'echo "$(ls then 10>/dev/null)"',
  'echo "a $(ls "x" &> y) b"',
  'echo "$(echo "$(ls {a,b})")"',
  'echo "`ls &> x`"',
  'X="$(ls |& cat)" ls',
  'echo "$(cat <(ls))"',
  'echo "$(( (1) )) $(ls \'a"b\' >& c)"',
];

for (const text of DIFFERENT) {
  test(`sh may not read this as bash does: ${JSON.stringify(text)}`, async () => {
    for (const shell of [
      'sh',
      'dash',
      'busybox sh',
      '/bin/sh',
      'bash --posix',
      'env sh',
      'sh -e',
    ]) {
      const line = `${shell} -c ${quote(text)}`;
      const { decision, reason } = await evaluateBash(line, ['bash * allow', 'fs.write ** allow']);
      assert.notEqual(decision, 'allow', `${line}: ${reason}`);
    }
  });
}

for (const launched of [
  'su user -c X',
  'find . -exec sh -c X \\;',
  'timeout 5 sh -c X',
  'flock lock -c X',
  'bash -c "sh -c X"',
]) {
  test(`the text of ${launched} is for sh`, async () => {
    const line = launched.replace('X', quote('ls &> /dev/null').replaceAll('"', '\\"'));
    assert.notEqual((await evaluateBash(line, ['bash * allow'])).decision, 'allow', line);
  });
}

/** Texts that all shells read alike. */
const SAME = [
  'ls -la src && git status',
  "git log --format='%h &> $x' | wc -l",
  'ls 2>/dev/null',
  'ls 2>&1 >&2',
  'ls "a b" \'c $[d\' "e (( f"',
  "echo 'it is ((fine)) &> here'",
  'if ls; then cat a; else wc b; fi',
  'for i in a b; do ls; done',
  '(cd a && ls)',
  '{ ls; }',
  '! ls',
  'git show HEAD~1 HEAD^ @{u}',
  'ls ~/a',
  'ls \\\n -la',
  'ls # a &> comment',
  'case a in a) ls;; esac',
  'npm test -- --grep "a|b"',
  'echo "in $(pwd)"',
  'echo "$(git log --format="%h %s" -1)"',
];

for (const text of SAME) {
  test(`sh reads this as bash does: ${JSON.stringify(text)}`, async () => {
    const { decision, reason } = await evaluateBash(`sh -c ${quote(text)}`, ['bash * allow']);
    assert.equal(decision, 'allow', reason);
  });
}

for (const shell of [
  'zsh',
  'fish',
  'ksh',
  'mksh',
  'yash',
  'csh',
  'tcsh',
  'nu',
  '/usr/bin/zsh',
  'bash-static',
  'zsh-5.9',
  'osh',
]) {
  test(`text for ${shell} is never allowed`, async () => {
    for (const line of [`${shell} -c ls`, `env ${shell} -c 'ls'`, `${shell} <<< ls`]) {
      assert.equal((await evaluateBash(line, ['bash * allow'])).decision, 'ask', line);
    }
    const denied = await evaluateBash(`${shell} -c 'rm x'`, ['bash * allow', 'bash rm * deny']);
    assert.equal(denied.decision, 'deny');
  });
}

test('bash reads its own text', async () => {
  for (const text of ['[[ a == b ]] && ls', 'ls &> /dev/null', "ls $'a'", 'bash -c "ls |& cat"']) {
    assert.equal(
      (await evaluateBash(`bash -c ${quote(text)}`, ['bash * allow'])).decision,
      'allow',
    );
  }
});

test('dash runs the program that bash takes for an appended value', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-dialect-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  mkdirSync(path.join(folder, 'CI+=.'));
  writeFileSync(path.join(folder, 'CI+=.', 'x'), '#!/bin/sh\necho started', { mode: 0o755 });
  const printed = ['dash', 'bash'].map(
    (shell) => spawnSync(shell, ['-c', 'CI+=./x'], { cwd: folder, encoding: 'utf8' }).stdout,
  );
  assert.deepEqual(printed, ['started\n', '']);
});

test('dash runs what bash would calculate', () => {
  const { started } = runLines(["sh -c '((git))'", "bash -c '((git))'"]);
  assert.deepEqual(
    started.map((names) => [...names]),
    [['git'], []],
  );
});
