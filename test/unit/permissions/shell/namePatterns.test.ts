import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, plantWorkspace, policyOf } from '../ask.ts';

const root = plantWorkspace(['a.ts', 'b.ts', 'src/a.ts', 'src/b.ts', 'src/.env', 'conf/x.json']);
const folders = { workspace: [root], adHoc: [], cwd: root };

function check(name: string, expected: string, lines: readonly string[]) {
  test(name, async () => {
    const other: string[] = [];
    for (const line of lines) {
      const { decision } = await evaluate(bashCall(line), policyOf(DEFAULT_RULES, { folders }));
      if (decision !== expected) other.push(`${line} is ${decision}`);
    }
    assert.deepEqual(other, []);
  });
}

check('a pattern of names without quotes is as good as one with', 'allow', [
  'grep -rn x --include=*.ts conf',
  'grep -rn --include=*.py x conf',
  'find . -name tsconfig*.json -maxdepth 2',
  'find conf -type f -iname x*',
  // A folder to start from, and names that end find with an error.
  'find conf a* -name x',
  'find conf -name a* a*',
  'grep -rn x --include={a,b} conf',
  'grep -rn x --include=*.{ts,js} conf',
  'grep -rn x --exclude-dir={node_modules,.git} conf',
  'rg x --glob={a,b} conf',
  'find {src,conf} -name x',
]);

check('what a list in braces spells is decided as if it were written', 'ask', [
  'grep -r x --exclude={a,b} src',
  'grep {-r,x} src',
  'sort {-o,x} a.ts',
  'sed {-i,p} a.ts',
  'cat {src/.env,a.ts}',
  'find {src,-delete}',
  'find {.,-exec,ls,\\;}',
  // In the second round, it is another file.
  'x=a.ts; for y in 1 2; do cat $x; read {-r,x} <<< src/.env; done',
  'x=a.ts; for y in 1 2; do cat $x; export {x,z}=src/.env; done',
]);

check('but not in another place, nor where it is more than a name', 'ask', [
  'find conf -name *.ts',
  'find conf -name -d*',
  'find conf -path a*',
  'find conf -newer a*',
  'find conf -exec a* {} +',
  'find conf -fprint a*',
  'find conf -name a* -delete',
  'find conf -name b -o *a',
  'grep -rn x --exclude=*.ts src',
  'grep -rn x --file=a* conf',
  'grep -rn x -f a* conf',
  'grep -rn x --include=$X conf',
  'grep -rn x --include=*/../* src',
  'touch conf/y; grep -rn x --include=*.ts conf',
  'ls --include=*.ts',
  './grep -rn x --include=*.ts conf',
  'rg x --include=*.ts',
]);

check('a folder in a variable is looked up like one that is written', 'allow', [
  'v=src; cat $v/*.ts',
  'v=src; cat "$v"/*.ts',
  'v=conf; wc -l "${v}"/x*',
  'for d in src conf; do ls $d/*; done',
  'd=$PWD; ls conf/*',
]);

check('where the line shows it, and to commands that read', 'ask', [
  'cat $v/*.ts',
  'v=$X; cat $v/*.ts',
  'v=/etc; cat $v/*.conf',
  'v=src; cat $v/.e*',
  'v=src; cat $v/*$X',
  'v=-n; sort $v*',
  "v='a b'; cat $v/*.ts",
  "v='~'; cat $v/*.ts",
  "v='*'; cat $v/*.ts",
  "v='{src,/etc}'; cat $v/*",
  'v=src; rm $v/*.ts',
  'v=src; bash $v/*.ts',
  'v=src; $v/*.ts',
  'v=src; cat a.ts > $v/*.ts',
  'v=src; IFS=r; cat $v/*.ts',
  'v=src; unset v; cat $v/*.ts',
  'v=src; v+=/..; cat $v/*.ts',
  'v=src; read v; cat $v/*.ts',
  'v=src; sh -c "cat $v/*.ts"',
  'v=src; shopt -s dotglob; cat $v/*',
  'v=src; set -f; cat $v/*.ts | sh',
  'v=src cat $v/*.ts',
  'v=src; cd $X; cat $v/*.ts',
  'f() { v=/etc; }; v=src; f; cat $v/*.ts',
]);
