import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Policy } from '../../../../../src/permissions/rules/policy.ts';
import { listAliases, listGit, listLaunchers, type Same } from '../../../../fuzz/otherSpellings.ts';
import { FILE } from '../../../../fuzz/spellings.ts';
import { isLong } from '../../../../workbench/sizes.ts';
import { bashCall, evaluate, evaluateBash, plantWorkspace, policyOf, rulesOf } from '../../ask.ts';

const ROOT = plantWorkspace(['src/f', 'out/a', 'secrets/a']);
const BASE = policyOf([], { folders: { workspace: [ROOT], adHoc: [], cwd: ROOT } });
const ORDER = { allow: 0, ask: 1, deny: 2, refuse: 3 } as const;
const DENY = ['fs.* ** allow', 'fs.* secrets/** deny'];

/** The lines that are allowed, or not denied, although the same line spelled otherwise is not. */
async function findLooser(
  all: readonly Same[],
  rules: readonly string[],
  file = 'secrets/a',
): Promise<readonly string[]> {
  const misses: string[] = [];
  const policies = new Map<string, Policy>();
  const decideLine = async (line: string, program: string) => {
    const own = rulesOf(`bash ${program} * allow`, ...rules);
    const policy = policies.get(program) ?? { ...BASE, rules: own };
    policies.set(program, policy);
    return (await evaluate(bashCall(line.replaceAll(FILE, file)), policy)).decision;
  };
  for (const { program, apart, others } of all) {
    const wanted = await decideLine(apart, apart.replace(/ .*/, ''));
    for (const line of others) {
      const got = await decideLine(line, program);
      if (ORDER[got] < ORDER[wanted]) misses.push(`${apart} is ${wanted}, ${line} is ${got}`);
    }
  }
  return misses;
}

test('a launcher is read through however its options are spelled', async () => {
  const rules = ['bash * allow', 'bash rm * deny', 'fs.* ** allow'];
  assert.deepEqual(await findLooser(listLaunchers('rm y'), rules), []);
});

test('every spelling of an option of git that names a file is decided as the separate one', async () => {
  assert.deepEqual(await findLooser(listGit(), DENY), []);
  if (!isLong()) return;
  assert.deepEqual(await findLooser(listGit(), []), []);
  const outside = ['fs.* ** ask', 'fs.read {workspace}/** allow', 'fs.write {workspace}/** allow'];
  assert.deepEqual(await findLooser(listGit(), outside, '../x'), []);
});

test('a program with another name takes every option as the known one does', async () => {
  const all = listAliases();
  assert.ok(all.length > 200, `${all.length} options`);
  // The known name in every spelling is the matter of `spellings.test.ts`.
  const chosen = all.map((each) => ({ ...each, others: each.others.slice(0, isLong() ? 99 : 2) }));
  assert.deepEqual(await findLooser(chosen, DENY), []);
});

/** Options that make a program run or send what the user did not mean. */
const SPELLED_OUT = [
  ...['jest --rootDir=..', 'jest --rootDir ..', 'jest --root-dir=..', 'jest --roots=..'],
  ...['vitest --root=..', 'vitest -r..', 'vitest -r ..', 'vitest run --dir=..'],
  ...['bun --cwd=.. test', 'bun --cwd .. test', 'deno -c../deno.json check a.ts'],
  ...['composer -d.. install', 'composer -d .. install', 'composer --working-dir=.. install'],
  ...['composer --work=.. install', 'poetry -C.. install', 'uv --directory=.. sync'],
  ...['podman compose -f ../x up', 'podman compose -f../x up', 'podman compose --file=../x up'],
  ...['podman-compose -f x up', 'nerdctl compose --project-directory=.. up', 'podman -v/:/x ps'],
  ...['pytest --pastebin=all', 'pytest --pastebin all', 'pytest --paste=all'],
  ...[
    'gmake -C..',
    'gmake -C ..',
    'gmake -kC..',
    'gmake --directory=..',
    'gmake -I..',
    'gmake A=b',
  ],
  ...['bmake -C..', 'bmake -f../x', "bmake -V '${:!id!}'", 'pmake -C..', 'mingw32-make -f x'],
  ...['gradle -p.. build', 'gradle --project-dir=.. build', 'mocha --import=./x', 'rake -C..'],
];

test('what such options name must be spelled out by a rule', async () => {
  for (const line of SPELLED_OUT) {
    const program = line.replace(/ .*/, '');
    const rules = [`bash ${program} * allow`, 'fs.* ** allow'];
    assert.equal((await evaluateBash(line, rules)).decision, 'ask', line);
    const own = [...rules, `bash ${line.replace(/[*]/g, '')} allow`];
    assert.equal((await evaluateBash(line, own)).decision, 'allow', line);
  }
});

test('and these programs ask nothing without them', async () => {
  for (const line of [
    ...['jest src', 'vitest run src', 'bun test', 'composer install', 'podman ps', 'pytest -q src'],
    ...['podman compose up', 'gmake -j4 all', 'bmake -j4 all', 'make all', 'gradle build'],
    ...['podman compose logs -f web', 'tsc -p src', 'poetry install', 'uv sync'],
  ]) {
    const rules = [`bash ${line.replace(/ .*/, '')} * allow`];
    assert.equal((await evaluateBash(line, rules)).decision, 'allow', line);
  }
});
