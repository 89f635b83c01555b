import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { COPY_RULES } from '../../../src/permissions/defaults/copyRules.ts';
import { DEFAULT_RULES } from '../../../src/permissions/defaults/defaults.ts';
import { toRulesText } from '../../../src/permissions/defaults/rulesText.ts';
import type { Decision, Policy } from '../../../src/permissions/rules/policy.ts';
import type { Subject } from '../../../src/permissions/rules/subject.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from './ask.ts';
import { showLine } from './shell/lineActs.ts';

/** Lines at the edge of a condition of the engine. No other test noticed that the condition was changed. */
const ROOT = makeRepository();

function makeRepository(): string {
  const root = plantWorkspace(['a.md', 'b.md', 'a-', 'c3.txt', '.env', '5', 'locked/y']);
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words]);
  git('init', '-q', '-b', 'main');
  symlinkSync('loop', path.join(root, 'loop'));
  writeFileSync(path.join(root, '.gitignore'), '.env\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
  git('checkout', '-q', '-b', 'merged');
  git('commit', '-q', '--allow-empty', '-m', 'second');
  git('checkout', '-q', 'main');
  return root;
}

function decide(
  line: string,
  rules: readonly string[] = [],
  more: Partial<Policy> = {},
): Promise<Decision> {
  const folders = { workspace: [ROOT], adHoc: [], cwd: ROOT };
  return evaluate(
    bashCall(line),
    policyOf([...DEFAULT_RULES, ...rulesOf(...rules)], { folders, ...more }),
  );
}

for (const [line, expected, ...rules] of [
  // A loop over files counts up to its last number, also if that is the first.
  ['for n in $(seq 3 3); do cat c$n.txt; done', 'allow'],
  // A word with a dash at its end is no option.
  ['for f in *.md a-; do cat $f; done', 'allow'],
  ['for f in *.md; do cat "${f}"; done', 'allow'],
  ['for f in *.md; do cat "${f%.md}"; done', 'ask'],
  ['wc -l $(git ls-files "*.md")', 'allow'],
  ['wc -l $(git ls-files "*.md"; echo .env)', 'ask'],
  ['wc -l $(git ls-files "*.md" &)', 'ask'],
  ['git ls-files -z "*.md" | xargs -0 -n 5 wc -l', 'allow'],
  ['git ls-files -z "*.md" | xargs -0 -n x wc -l', 'ask'],
  // What is in the file 5 would be passed.
  ['git ls-files -z "*.md" | xargs -0 -a 5 wc -l', 'ask'],
  ['git add .', 'allow', 'bash git add * allow', 'fs.read .env ask'],
  ['git cherry-pick -m 0 merged', 'ask', 'bash git * allow'],
  ['git mv a.md b-', 'ask', 'bash git mv * allow', 'fs.write a.md ask'],
  ['python3 x.py -m json.tool', 'ask', 'bash python3 * allow'],
  // With the link `loop`, which leads to itself.
  ['wc -l $(git ls-files)', 'allow'],
  ['git ls-files -z | xargs -0 wc -l', 'allow'],
  // Each command of a loop over files counts as it runs, also behind a launcher.
  ['for f in *.md; do cat "$f"; done', 'deny', 'bash cat b.md deny'],
  ['for f in *.md; do cat "$f"; done', 'ask', 'bash cat b.md ask'],
  ['for f in *.md; do timeout 5 cat "$f"; done', 'deny', 'bash cat b.md deny'],
  ['for f in {a,b}.md; do cat $f; done', 'deny', 'bash cat b.md deny'],
  ['for f in $(git ls-files "*.md"); do cat "$f"; done', 'deny', 'bash cat b.md deny'],
  [
    'for f in *.md; do for g in *.md; do diff "$f" "$g"; done; done',
    'deny',
    'bash diff b.md a.md deny',
  ],
  ['for f in *.md; do cat "$f"; done', 'allow', 'bash cat c.md deny'],
  ['for f in *.md; do cat "$f"; done', 'allow', 'bash b.md deny'],
  ['terraform plan -chdir x', 'ask', 'bash terraform * allow'],
  ['terraform -chdir=x plan', 'ask', 'bash terraform * allow'],
  ['/usr/lib/git-core/git-push origin main', 'deny', 'bash git push origin main deny'],
  // `--` ends the options and abbreviates none of them.
  ['git push -- origin', 'ask', 'bash git push --force deny'],
  // The text that is searched for is no pattern of paths.
  ["git log --oneline -S'*/.env' -- a.md", 'allow', 'fs.read .env deny'],
  [
    "git diff --output-indicator-new='*' -- a.md",
    'allow',
    'bash git diff * allow',
    'fs.read .env deny',
  ],
  // `-` is the standard input, not a file of that name.
  ['git tag -F - v9', 'allow', 'bash git tag * allow', 'fs.read - deny'],
] as const) {
  test(`${line} is ${expected} with the shipped rules${rules.map((rule) => ` and ${rule}`).join('')}`, async () => {
    const { decision, reason } = await decide(line, rules);
    assert.equal(decision, expected, reason);
  });
}

test('of a rule that names later words too, the narrower one is given as the reason', async () => {
  const rules = ['bash npm install * deny', 'bash npm a b c install * deny'];
  const { reason } = await decide('npm a b c i evil', rules);
  assert.match(reason, /^The rule `bash npm install \*` denies/);
});

for (const [line, rule] of [
  ['frob a', 'bash other a allow'],
  ['frob', 'bash other allow'],
  ['frob a', 'bash frob b* allow'],
] as const) {
  test(`${rule} is not near to ${line}`, async () => {
    assert.equal((await decide(line, [rule])).near?.(), undefined);
  });
}

test('a tracked name that begins with a dash is looked for', async () => {
  const decideIn = async (names: readonly string[]) => {
    const root = plantWorkspace(names);
    for (const words of [
      ['init', '-q'],
      ['add', '-A'],
    ])
      execFileSync('git', ['-C', root, ...words]);
    const folders = { workspace: [root], adHoc: [], cwd: root };
    const { decision } = await decide('git ls-files | xargs wc -l', [], { folders });
    return decision;
  };
  assert.deepEqual([await decideIn(['a.md']), await decideIn(['a.md', '-x'])], ['allow', 'ask']);
});

test('no other line is offered for a call that does more than run one', async () => {
  const call = bashCall('grep -rn x .');
  const folders = { workspace: [ROOT], adHoc: [], cwd: ROOT };
  const rules = rulesOf('bash * allow', 'fs.* ** allow', 'fs.read **/.env deny');
  const offers = async (...more: readonly Subject[]) => {
    const subjects = [...call.subjects, ...more] as const;
    const { reason } = await evaluate({ ...call, subjects }, policyOf(rules, { folders }));
    return reason.includes('--exclude=.env');
  };
  const [subject] = call.subjects;
  assert.deepEqual([await offers(), await offers({ ...subject, target: 'ls' })], [true, false]);
});

test('a folder whose links lead in a circle is named, not the one that it lies in', async () => {
  const { decision, reason } = await decide('ls loop/*');
  assert.equal(decision, 'ask');
  assert.match(reason, /because `loop\/` can't be read/);
});

test('the command of an if of cmd begins behind a comparison that begins with ==', async () => {
  assert.ok((await showLine('cmd', 'if a ==b del x')).includes('run del x'));
});

test('a group of the document of rules lists a narrower rule before a wider one', () => {
  const rules = rulesOf('bash git * allow', 'bash git log * allow', 'bash git log -n * allow');
  const text = toRulesText([], [{ title: 'Git', why: '', rules }]);
  const found = [...text.matchAll(/"pattern": "([^"]*)"/g)].map(([, pattern]) => pattern);
  assert.deepEqual(found, ['git log -n *', 'git log *', 'git *']);
});

test('commands that run code of the project are allowed in the copy by rules of their own', () => {
  const action = (wanted: string) => COPY_RULES.find(({ pattern }) => pattern === wanted)?.action;
  assert.equal(action('bash cargo'), 'allow');
  assert.equal(action('bash cargo *'), 'allow');
  assert.equal(action('bash psql *'), 'ask');
});
