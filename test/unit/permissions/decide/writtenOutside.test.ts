import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import type { Decision } from '../../../../src/permissions/rules/policy.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../ask.ts';

const root = plantWorkspace(['a.txt', 'src/b.txt']);
const folders = { workspace: [root], adHoc: [], cwd: root };

/** The decision under the shipped rules and these of the user. */
function decide(command: string, ...rules: readonly string[]): Promise<Decision> {
  const all = [...DEFAULT_RULES, ...rulesOf(...rules)];
  return evaluate(bashCall(command), policyOf(all, { folders }));
}

// What "always" stores for a file here covers no file elsewhere.
for (const [rule, command] of [
  ['rm a.txt', 'rm a.txt ../kept'],
  ['rm *', 'rm /elsewhere/kept'],
  ['rm *', 'rm ~/kept'],
  ['touch *', 'touch ../new'],
  ['mkdir *', 'mkdir -p /elsewhere/new'],
  ['chmod +x a.txt', 'chmod +x a.txt /elsewhere/tool'],
  ['truncate *', 'truncate -s 0 ../kept'],
  ['cd * && rm *', 'cd src && rm ../../kept'],
] as const) {
  test(`${command} asks under ${rule}`, async () => {
    const rules = rule.split(' && ').map((each) => `bash ${each} allow`);
    const { decision, reason } = await decide(command, ...rules);
    assert.equal(decision, 'ask');
    assert.match(reason, /^The command writes or removes `.+`, which is outside the workspace\.$/);
  });
}

test('files in the workspace and devices are covered by the rule for the command', async () => {
  for (const command of [
    'rm a.txt src/b.txt',
    `rm ${root}/a.txt`,
    'touch src/new',
    'touch /dev/null',
  ]) {
    const { decision, reason } = await decide(command, 'bash rm * allow', 'bash touch * allow');
    assert.equal(decision, 'allow', reason);
  }
});

test('a rule that allows writing or reading the path lifts it, and is offered', async () => {
  const asked = await decide('rm /elsewhere/kept', 'bash rm * allow');
  const [narrow] = asked.candidates();
  assert.deepEqual(narrow?.rules, [
    { permission: 'fs.write', pattern: '/elsewhere/kept', action: 'allow' },
  ]);
  const rules = ['bash rm * allow', 'fs.write /elsewhere/** allow'];
  assert.equal((await decide('rm /elsewhere/kept', ...rules)).decision, 'allow');
  assert.equal((await decide('rm /other/kept', ...rules)).decision, 'ask');
});

test('without the shipped ask for what is outside, the rule for the command covers it', async () => {
  const rules = ['bash rm * allow', 'fs.read ** allow'];
  assert.equal((await decide('rm /elsewhere/kept', ...rules)).decision, 'allow');
});

test('a deny of the path holds', async () => {
  const rules = ['bash rm * allow', 'fs.write /elsewhere/** deny'];
  assert.equal((await decide('rm /elsewhere/kept', ...rules)).decision, 'deny');
});
