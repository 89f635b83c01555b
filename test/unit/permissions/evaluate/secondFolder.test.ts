import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startEvaluation } from '../../../../src/permissions/decide/evaluation.ts';
import { isInWorkspace } from '../../../../src/permissions/decide/outsideFiles.ts';
import { findShadow } from '../../../../src/permissions/decide/shadowedProgram.ts';
import { listHiddenPaths } from '../../../../src/permissions/evaluate/searchFilter.ts';
import type { Policy } from '../../../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../../../src/permissions/rules/policyCompiler.ts';
import { isSkipped } from '../../../../src/permissions/sweeps/protectedWalk.ts';
import { evaluateBash, plantWorkspace, policyOf, rulesOf } from '../ask.ts';

// A window may have several folders; whatever counts for one of them counts for each.
const ONE = plantWorkspace(['a', 'bin/frob']);
const TWO = plantWorkspace(['a', 'bin/frob']);
const BOTH = [ONE, TWO];
const OUTSIDE = path.dirname(TWO);
const FOLDERS = { workspace: BOTH, adHoc: [], cwd: ONE };

const compile = (rules: readonly string[] = [], more: Partial<Policy> = {}) =>
  createPolicyCompiler().compile(policyOf(rulesOf(...rules), { folders: FOLDERS, ...more }));
const start = (more: Partial<Policy> = {}) => startEvaluation(compile([], more));

test('a write into either folder is none outside the workspace', async () => {
  for (const [folder, risk] of [
    [ONE, undefined],
    [TWO, undefined],
    [OUTSIDE, 'outside'],
  ] as const) {
    const { details } = await evaluateBash(
      `echo x > ${folder}/new`,
      ['bash * allow', 'fs.write ** ask'],
      { folders: FOLDERS },
    );
    const asked = details().filter(({ decision }) => decision === 'ask');
    assert.deepEqual([...new Set(asked.map((each) => each.risk))], [risk], folder);
  }
});

test('a file is in the workspace if it is in either folder', () => {
  for (const folder of BOTH) assert.ok(isInWorkspace(`${folder}/a`, start()), folder);
  assert.ok(!isInWorkspace(`${OUTSIDE}/a`, start()));
});

test('what is hidden outside of the workspace is in neither folder', () => {
  const rules = [...BOTH, OUTSIDE].map((folder) => `read ${folder}/secret deny`);
  assert.deepEqual(listHiddenPaths(compile(rules)), [`${OUTSIDE}/secret`]);
});

test('a program in either folder shadows that of the system', () => {
  const before = process.env['PATH'];
  try {
    for (const folder of [...BOTH, OUTSIDE]) {
      const bin = path.join(folder, 'bin');
      mkdirSync(bin, { recursive: true });
      writeFileSync(path.join(bin, 'frob'), '');
      chmodSync(path.join(bin, 'frob'), 0o755);
      process.env['PATH'] = bin;
      const shadow = findShadow([{ value: 'frob', literal: true }], start());
      assert.equal(shadow, folder === OUTSIDE ? undefined : path.join(bin, 'frob'));
    }
  } finally {
    process.env['PATH'] = before;
  }
});

test('a folder of packages that holds either folder, and no other, is looked at', () => {
  const packages = '/nonexistent/node_modules';
  const isOpen = (...workspace: readonly string[]) =>
    !isSkipped(packages, ['node_modules'], start({ folders: { ...FOLDERS, workspace } }));
  assert.ok(isOpen(`${packages}/x`, '/nonexistent/w'));
  assert.ok(isOpen('/nonexistent/w', `${packages}/x`));
  assert.ok(!isOpen('/nonexistent/w', '/nonexistent/v'));
});

/** The decision, and whether the watchdog made it, on a line whose words are allowed one by one. */
async function decideLine(line: string, more: Partial<Policy> = {}): Promise<string> {
  const rules = ['fs.read ** allow', 'fs.write ** allow', `bash ${line} allow`];
  const { decision, layer } = await evaluateBash(line, rules, { folders: FOLDERS, ...more });
  return `${decision} by ${layer}`;
}

test('everything in either folder is more than a rule with wildcards allows', async () => {
  for (const folder of BOTH) assert.match(await decideLine(`rm -rf ${folder}`), /^ask/, folder);
  assert.equal(await decideLine(`rm -rf ${ONE}/bin`), 'allow by rules');
});

test('a folder of the workspace in a tree of the system may be written, be it first or second', async () => {
  const app = realpathSync('/etc');
  for (const workspace of [
    ['/nonexistent/w', `${app}/app`],
    [`${app}/app`, '/nonexistent/w'],
  ]) {
    const folders = { ...FOLDERS, workspace, cwd: '/nonexistent/w' };
    assert.equal(await decideLine(`rm -rf ${app}/app/x`, { folders }), 'allow by rules');
    assert.equal(await decideLine(`rm -rf ${app}/other/x`, { folders }), 'deny by watchdog');
  }
});

/** Makes a repository whose configuration starts a program of the workspace. */
function plantRepository(root: string): void {
  for (const name of ['objects', 'refs'])
    mkdirSync(path.join(root, '.git', name), { recursive: true });
  writeFileSync(path.join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(path.join(root, '.git/config'), '[core]\n\tfsmonitor = ./run\n');
}

test("the repository of either folder is the workspace's own, and one below is not", async () => {
  const inner = path.join(TWO, 'inner');
  for (const root of [TWO, inner]) plantRepository(root);
  for (const workspace of [BOTH, BOTH.toReversed()])
    for (const [cwd, isNested] of [
      [TWO, false],
      [inner, true],
    ] as const) {
      const folders = { ...FOLDERS, workspace, cwd };
      const { reason = '' } = await evaluateBash('git status', ['bash * allow'], { folders });
      assert.equal(reason.includes('in a repository of its own'), isNested, `${cwd}: ${reason}`);
    }
});
