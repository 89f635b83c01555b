import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Policy } from '../../../src/permissions/rules/policy.ts';
import type { Rule } from '../../../src/permissions/rules/rule.ts';
import { line as commandLine } from '../../fuzz/grammar.ts';
import { bashCall, evaluate, evaluateFileTool, policyOf, type Shown, show } from './ask.ts';

const ORDER = { allow: 0, ask: 1, deny: 2, refuse: 3 } as const;
const RUNS = { numRuns: 400, seed: 7 } as const;

const command = fc.constantFrom(
  'ls',
  'git status',
  'git push origin',
  'rm -rf a',
  'cat .env',
  'cat src/a > b',
  'ls; rm x',
  'env rm x',
  'curl https://a.example/x',
  './ls',
  'grep -r x .',
  'git log | head',
  '$x',
  'cp a .git/x',
  'sort -o a b',
);
const pattern = fc.constantFrom(
  '*',
  '**',
  'ls',
  'git *',
  'git push *',
  'git status',
  'rm *',
  'rm -rf *',
  'cat *',
  '* .env',
  'g*',
  '*s',
  'src/**',
  '**/.env',
  '.env',
  'a',
  '{workspace}/**',
  'a.example',
  '*.example',
  'curl *',
  'env *',
  'sort *',
  'head',
  'git log*',
  'cp *',
);
const rule: fc.Arbitrary<Rule> = fc.record({
  permission: fc.constantFrom(
    'bash',
    'shell.run',
    '*',
    'fs.read',
    'fs.write',
    'read',
    'write',
    'net.fetch',
    'b*',
    'fs.*',
  ),
  pattern,
  action: fc.constantFrom('allow', 'allow', 'ask', 'deny'),
  source: fc.constantFrom('manifest', 'project', 'session'),
  added_at: fc.nat(3),
});
const rules = fc.array(rule, { maxLength: 8 });
const headless = fc.boolean();

function decide(line: string, given: readonly Rule[], more: Partial<Policy> = {}): Promise<Shown> {
  return show(evaluate(bashCall(line), policyOf(given, more)));
}

test('adding a deny never loosens', () =>
  fc.assert(
    fc.asyncProperty(command, rules, rule, fc.nat(8), async (line, given, extra, place) => {
      const deny: Rule = { ...extra, action: 'deny' };
      const more = [...given.slice(0, place), deny, ...given.slice(place)];
      const before = await decide(line, given);
      const after = await decide(line, more);
      assert.ok(
        ORDER[after.decision] >= ORDER[before.decision],
        `${before.decision} -> ${after.decision}`,
      );
    }),
    RUNS,
  ));

const place = fc.constantFrom('.env', 'src/a', 'src/.env', 'a', '/nonexistent/else/.env', '~/a');
const tool = fc.constantFrom('read', 'write', 'edit', 'grep');

test('no allow holds beside a deny of the same words, by tool or by command', () =>
  fc.assert(
    fc.asyncProperty(tool, place, command, rules, async (name, target, line, given) => {
      const denied = given.map((each): Rule => ({ ...each, action: 'deny', source: 'project' }));
      const all = [...given, ...denied];
      const lines = all.map((each) => Object.values(each).slice(0, 4).join(' '));
      assert.notEqual((await evaluateFileTool(name, target, lines)).decision, 'allow');
      assert.notEqual((await decide(line, all)).decision, 'allow');
    }),
    RUNS,
  ));

test('the order of rules never matters', () =>
  fc.assert(
    fc.asyncProperty(
      command,
      rules.chain((given) =>
        fc.tuple(fc.constant(given), fc.shuffledSubarray([...given], { minLength: given.length })),
      ),
      async (line, [given, shuffled]) => {
        assert.equal((await decide(line, given)).decision, (await decide(line, shuffled)).decision);
      },
    ),
    RUNS,
  ));

test('headless is never looser, and never asks', () =>
  fc.assert(
    fc.asyncProperty(command, rules, async (line, given) => {
      const attended = await decide(line, given);
      const alone = await decide(line, given, { headless: true });
      assert.ok(ORDER[alone.decision] >= ORDER[attended.decision]);
      assert.notEqual(alone.decision, 'ask');
    }),
    RUNS,
  ));

test('a line with one more command is never looser', () =>
  fc.assert(
    fc.asyncProperty(
      command,
      command,
      rules,
      fc.constantFrom('; ', ' && ', ' || ', ' | ', '\n', ' & '),
      async (one, two, given, join) => {
        const alone = await decide(one, given);
        for (const longer of [one + join + two, two + join + one, `( ${one} )${join}${two}`]) {
          assert.ok(ORDER[(await decide(longer, given)).decision] >= ORDER[alone.decision], longer);
        }
      },
    ),
    RUNS,
  ));

test('a launcher, a subshell and a substitution never loosen what they hold', () =>
  fc.assert(
    fc.asyncProperty(command, rules, async (line, given) => {
      const alone = await decide(line, given);
      const quoted = line.replaceAll("'", '');
      for (const longer of [
        `( ${line} )`,
        `{ ${line}; }`,
        `sh -c '${quoted}'`,
        `echo $(${line})`,
        `if ${line}; then :; fi`,
      ]) {
        assert.ok(ORDER[(await decide(longer, given)).decision] >= ORDER[alone.decision], longer);
      }
    }),
    RUNS,
  ));

test('a narrower capability set is never looser, and a refusal is final', () =>
  fc.assert(
    fc.asyncProperty(command, rules, headless, async (line, given, alone) => {
      const free = await decide(line, given, { headless: alone });
      const limited = await decide(line, given, {
        headless: alone,
        capabilities: { shell: [{ cmd: 'ls' }, { cmd: 'git' }] },
      });
      assert.ok(ORDER[limited.decision] >= ORDER[free.decision]);
    }),
    RUNS,
  ));

test('any generated line is decided, with at least one subject and a reason', () =>
  fc.assert(
    fc.asyncProperty(commandLine, async (line) => {
      const { decision, subjects, reason } = await decide(line, [
        { permission: '*', pattern: '*', action: 'allow', source: 'session' },
      ]);
      assert.ok(decision in ORDER && subjects.length > 0 && reason.length > 0);
    }),
    RUNS,
  ));

test('a manifest deny of everything denies every line', () =>
  fc.assert(
    fc.asyncProperty(commandLine, async (line) => {
      const given: Rule[] = [
        { permission: '*', pattern: '*', action: 'allow', source: 'session' },
        { permission: 'bash', pattern: '*', action: 'deny', source: 'manifest' },
      ];
      assert.equal((await decide(line, given)).decision, 'deny');
    }),
    RUNS,
  ));

test('what "always" offers allows the call, and is at least as narrow as the next', () =>
  fc.assert(
    fc.asyncProperty(command, async (line) => {
      const { candidates } = await decide(line, []);
      for (const { rules: stored } of candidates) {
        const given = stored.map((each): Rule => ({ ...each, source: 'session' }));
        assert.equal((await decide(line, given)).decision, 'allow', JSON.stringify(stored));
      }
      assert.ok(candidates.length <= 4);
    }),
    RUNS,
  ));
