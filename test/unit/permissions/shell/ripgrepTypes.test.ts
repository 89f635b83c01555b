import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { rgPath } from '@vscode/ripgrep';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { mayBeNamed } from '../../../../src/permissions/patterns/nameOverlap.ts';
import { toHiddenGlob } from '../../../../src/permissions/shell/ripgrepTypes.ts';
import { bashCall, evaluate, plantWorkspace, policyOf } from '../ask.ts';

function runRipgrep(args: readonly string[], cwd = '.'): string {
  return spawnSync(rgPath, ['--no-config', ...args], { cwd, encoding: 'utf8' }).stdout;
}

/** A hidden name that the glob of a type matches, if there is one. */
function toHiddenName(glob: string): string | undefined {
  const name = glob
    .replace(/^\*/, '.env')
    .replace(/\[(.)[^\]]*\]/g, '$1')
    .replaceAll('*', 'x');
  return name.startsWith('.') ? name : undefined;
}

test('the types are those of ripgrep, with every hidden name that they match', () => {
  const types = runRipgrep(['--type-list']).trim().split('\n');
  assert.ok(types.length > 200);
  const missed = types.flatMap((line) => {
    const [type = '', globs = ''] = line.split(': ');
    const names = globs.split(', ').flatMap((glob) => toHiddenName(glob) ?? []);
    const hidden = toHiddenGlob(type);
    if (hidden === '*') return [type];
    return names.filter((name) => hidden === undefined || !mayBeNamed(name, hidden));
  });
  assert.deepEqual(missed, []);
  for (const type of ['all', 'unknown', '']) assert.equal(toHiddenGlob(type), '*');
});

const SECRETS = ['.env', '.env.js', '.env.yaml', '.x/.env.js'];

function plantSecrets(): string {
  const root = plantWorkspace([...SECRETS, 'sub/a.js', 'sub/a.yaml', 'sub/a.sh', 'sub/a.java']);
  for (const name of SECRETS) writeFileSync(path.join(root, name), 'TOKEN\n');
  return root;
}

const SELECTIONS = [
  ...['-tjs', '-t js', '--type=yaml', '--type sh', '-tall', '-tjava', '-Tjs', '-tjs -tjava'],
  ...["-g '*.java'", "-g '!x'", "-g '*.js'", "-g '.env'", "-g '.e*'", "-g '*'"],
  ...["--iglob '*.JS'", '-tjava -g .env'],
];

test('hidden secrets that a type or a glob of rg includes ask, also in what reads the names', async () => {
  const root = plantSecrets();
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const policy = policyOf(DEFAULT_RULES, { folders });
  const wrong: string[] = [];
  for (const selection of SELECTIONS) {
    const args = selection.replaceAll("'", '').split(' ');
    const found = runRipgrep([...args, 'TOKEN', '.'], root).includes('TOKEN');
    for (const line of [
      `rg ${selection} TOKEN`,
      `rg --files -0 ${selection} | xargs -0 cat`,
      `cat $(rg --files ${selection})`,
    ]) {
      const { decision } = await evaluate(bashCall(line), policy);
      if (decision !== (found ? 'ask' : 'allow')) wrong.push(`${line} is ${decision}`);
    }
  }
  assert.deepEqual(wrong, []);
});
