import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';
import { bashCall, evaluate, evaluateBash, policyOf, rulesOf } from '../ask.ts';

for (const [rule, line] of [
  ['git push', 'git --no-pager push'],
  ['git push', 'git -P --no-optional-locks push origin'],
  ['git push *', 'git --no-pager push origin'],
  ['git push * --force', 'git --no-pager push origin --force'],
  ['npm publish', 'npm --silent publish'],
  ['kubectl delete', 'kubectl -n x --debug delete pod y'],
  ['kubectl delete', 'kubectl --namespace=x delete pod y'],
  ['gh pr merge', 'gh -R a/b pr --repo c merge 1'],
  ['aws s3 rm', 'aws --profile x s3 rm y'],
  ['rm -r*', 'rm -v -rf x'],
  ['git reset --hard', 'git reset -q --hard'],
  ['docker push', '/usr/bin/docker --debug push x'],
  ['git push --force', 'git push origin main --force'],
  ['git push --for*', 'git push origin main --force'],
  ['git push --force', 'git push --no-verify origin --force main'],
  ['git push --force', 'git -c a=b push origin --force'],
  ['git push -f', 'git push origin -uf main'],
  ['git push -f origin', 'git push origin main -f'],
  ['git push --delete *', 'git push origin --delete main'],
  ['git reset --hard', 'git reset HEAD --hard'],
  ['git reset --hard', 'git reset HEAD --har'],
  ['git log --output', 'git log -p --output=x'],
  ['rm -r*', 'rm x -rf'],
  ['rm -r*', 'rm -vr x'],
  ['rm --recursive*', 'rm x --recurs'],
  ['rm -rf', 'rm -f x -r'],
  ['rm -rf /*', 'rm -vfr /x'],
  ['git branch -D', 'git branch feature -D'],
  ['chmod -R', 'chmod 755 -R x'],
  ['docker run --rm -it', 'docker run -it --rm x'],
  ['git checkout -- *', 'git checkout HEAD -- a.txt'],
  ['npm install --global', 'npm install x --global'],
  ['git clean -f -f', 'git clean src -ff'],
  ['git clean -f -f', 'git clean -df src -f'],
  ['ssh -v -v', 'ssh -o a=b -vv host'],
] as const) {
  test(`a deny of "${rule}" covers "${line}"`, async () => {
    const { decision } = await evaluateBash(line, ['bash * allow', `bash ${rule} deny`]);
    assert.equal(decision, 'deny');
  });
}

for (const [rule, line] of [
  ['git push', 'git --no-pager log main push'],
  ['git push', 'git log -n push'],
  ['docker rm', 'docker ps --rm x'],
  ['npm publish', 'npm --silent=1 test publish'],
  ['npm pub', 'npm --silent publish'],
  ['git push --force', 'git push origin --force-with-lease'],
  ['git push -f', 'git push origin --follow-tags'],
  ['git push -f', 'git push origin f'],
  ['rm -rf', 'rm -f x'],
  ['git checkout -- *', 'git checkout HEAD'],
  ['git clean -f -f', 'git clean src -f'],
  ['curl --header --header', 'curl -s --header x'],
] as const) {
  test(`a deny of "${rule}" doesn't cover "${line}"`, async () => {
    const { decision } = await evaluateBash(line, ['bash * allow', `bash ${rule} deny`]);
    assert.equal(decision, 'allow');
  });
}

for (const line of ['git reset HEAD --hard', 'git branch x -D', 'rm x -rf', 'git tag x -d'])
  test(`an allow of the command doesn't lift the shipped ask about "${line}"`, async () => {
    const [program = '', sub = ''] = line.split(' ');
    const wide = rulesOf(`bash ${program === 'rm' ? program : `${program} ${sub}`} * allow`);
    const files = rulesOf('fs.write x allow');
    const decideWith = (rules: readonly Rule[]) =>
      evaluate(bashCall(line), policyOf([...DEFAULT_RULES, ...files, ...rules]));
    assert.equal((await decideWith(wide)).decision, 'ask');
    const exact = await decideWith([...wide, ...rulesOf(`bash ${line} allow`)]);
    assert.equal(exact.decision, 'allow', exact.reason);
  });

test('an allow does not skip options', async () => {
  const { decision } = await evaluateBash('npm --silent test', ['bash npm test allow']);
  assert.equal(decision, 'ask');
});

test('an allow that names the options is narrower', async () => {
  const rules = rulesOf('bash git --no-pager push * allow');
  const policy = policyOf([...DEFAULT_RULES, ...rules]);
  const { decision } = await evaluate(bashCall('git --no-pager push origin'), policy);
  assert.equal(decision, 'allow');
});

for (const line of ['git --no-pager reflog delete HEAD@{0}', 'git --no-pager reflog write x'])
  test(`the shipped rules ask about "${line}"`, async () => {
    const { decision } = await evaluate(bashCall(line), policyOf(DEFAULT_RULES));
    assert.equal(decision, 'ask');
  });

test('a command of many options is matched in linear time', async () => {
  const line = `git ${'-x push '.repeat(5_000)}`;
  const started = performance.now();
  await evaluateBash(line, ['bash * allow', 'bash git pull * --force deny']);
  assert.ok(performance.now() - started < 10_000);
});
