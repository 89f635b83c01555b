import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { startEvaluation } from '../../../../src/permissions/decide/evaluation.ts';
import { createPolicyCompiler } from '../../../../src/permissions/rules/policyCompiler.ts';
import type { FileAct } from '../../../../src/permissions/shell/acts.ts';
import {
  findProtectedLook,
  lookForProtected,
} from '../../../../src/permissions/sweeps/protectedBelow.ts';
import { walkForProtected } from '../../../../src/permissions/sweeps/protectedWalk.ts';
import { evaluateBash, plantWorkspace, policyOf } from '../ask.ts';

const WIDE = ['bash * allow', 'fs.write ** allow', 'fs.read ** allow'];

const ACT: FileAct = {
  kind: 'file',
  access: 'fs.write',
  target: '.',
  folders: [''],
  role: 'operand',
  sweep: 'all',
  carries: 'removed',
};

test('a look ends after a number of files and folders, whatever time it took', async () => {
  const root = plantWorkspace(['a/1', 'a/2', 'a/3', 'b/4']);
  const start = () => startEvaluation(createPolicyCompiler().compile(policyOf([])));
  const look = (entries: number, evaluation = start()) =>
    walkForProtected(ACT, root, evaluation, { ms: 60_000, entries });
  assert.equal((await look(6)).gap, undefined);
  assert.deepEqual((await look(5)).gap, { why: 'large', entries: 5 });
  const line = start();
  assert.equal((await look(12, line)).gap, undefined);
  assert.deepEqual((await look(11, line)).gap, { why: 'large', entries: 11 }, 'in all looks');
});

test("this user's settings count as far as the command carries them", async () => {
  const root = plantWorkspace(['conf/rules.json', 'data/User/x', 'store/state/a', 'free/a.log']);
  const at = (name: string) => path.join(root, name);
  execFileSync('git', ['init', '-q'], { cwd: root });
  execFileSync('git', ['add', 'free', 'data'], { cwd: root });
  const folders = {
    ...{ workspace: [root], adHoc: [], cwd: root },
    ...{ settings: [at('conf/rules.json')], editors: [at('data/User')], state: at('store/state') },
  };
  const decide = async (line: string) =>
    (await evaluateBash(line, [...WIDE, `bash ${line} allow`], { folders })).decision;
  for (const line of [
    "find . -name '*.log' -delete",
    'rsync --exclude=rules.json -a conf/ copy',
    'git rm -rf conf',
    'git rm -rf store',
    'git rm -rf free data',
  ])
    assert.equal(await decide(line), 'allow', line);
  for (const line of [
    "find . -name '*.json' -delete",
    "find store -name 'a' -delete",
    'rsync --exclude=conf -a conf/ copy',
    ...['rm -r conf', 'cp -r data copy', 'git clean -fd store', 'git clean -fd conf'],
  ])
    assert.equal(await decide(line), 'ask', line);
  execFileSync('git', ['add', '.'], { cwd: root });
  for (const line of ['git rm -rf conf', 'git rm -rf store', 'git rm -r .'])
    assert.equal(await decide(line), 'ask', line);
});

test('rsync leaves out what its options say, as it reads them', async () => {
  const root = plantWorkspace(['src/a.ts', 'src/.vscode/x', 'src/sub/.vscode/x', 'lib/.envrc']);
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const decide = async (line: string) => (await evaluateBash(line, WIDE, { folders })).decision;
  for (const line of [
    'rsync -a --exclude=.vscode src/ copy',
    'rsync -a src/ copy --exclude .vscode/',
    'rsync -a --exclude=/.vscode/ --exclude=/sub src/ copy',
    'rsync -a --exclude=/lib/.envrc lib copy',
  ])
    assert.equal(await decide(line), 'allow', line);
  for (const line of [
    'rsync -a --exclude=/.vscode src/ copy',
    'rsync -a --exclude=/sub src/ copy',
    'rsync -a --exclude=.envrc/ lib copy',
    'rsync -a --exclude=/.envrc lib copy',
    'rsync -a --exclude=/.envrc/ lib/ copy',
    'rsync -a --delete --delete-excluded --exclude=.vscode new/ src',
  ])
    assert.equal(await decide(line), 'ask', line);
});

test("cmd.exe's move of a pattern carries what may have such a name", async () => {
  const root = plantWorkspace(['a.log', 'sub/b.log', '.vscode/x', 'logs.old/.vscode/x']);
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const carries = async (line: string) => {
    const rules = ['cmd * allow', ...WIDE];
    const details = (await evaluateBash(line, rules, { folders, shell: 'cmd' })).details();
    return details.some(({ reason }) => reason.includes('moves, removes or copies'));
  };
  for (const line of ['move *.log old', 'move /y *.log old', 'move sub\\*.log old'])
    assert.equal(await carries(line), false, line);
  for (const line of ['move *.old x', 'move logs.* x', 'move * x', 'move l*.* x', 'move .v* x'])
    assert.equal(await carries(line), true, line);
});

test('the looks of a line share one time, and each adds what it took', async () => {
  const root = plantWorkspace(['a/1', 'b/2']);
  const policy = policyOf([], { folders: { workspace: [root], adHoc: [], cwd: root } });
  const evaluation = startEvaluation(createPolicyCompiler().compile(policy));
  const lookIn = async (name: string) => {
    const file = { path: path.join(root, name) };
    await lookForProtected(ACT, file, evaluation);
    return findProtectedLook(ACT, file, evaluation)?.gap;
  };
  evaluation.spent.ms = 1;
  assert.equal(await lookIn('a'), undefined);
  assert.ok(evaluation.spent.ms > 1, `${evaluation.spent.ms} ms`);
  evaluation.spent.ms = 1e9;
  assert.deepEqual(await lookIn('b'), { why: 'time' });
});

test('a folder is looked below once, and one that carries nothing is not', async () => {
  const root = plantWorkspace(['a/1']);
  const policy = policyOf([], { folders: { workspace: [root], adHoc: [], cwd: root } });
  const evaluation = startEvaluation(createPolicyCompiler().compile(policy));
  const file = { path: path.join(root, 'a') };
  const { carries: _, ...plain } = ACT;
  await lookForProtected(plain, file, evaluation);
  assert.equal(evaluation.looks.size, 0);
  await lookForProtected(ACT, file, evaluation);
  const look = findProtectedLook(ACT, file, evaluation);
  await lookForProtected(ACT, file, evaluation);
  assert.equal(evaluation.looks.size, 1);
  assert.equal(findProtectedLook(ACT, file, evaluation), look);
});
