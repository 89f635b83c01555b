import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { orderRules } from '../../../../src/permissions/explain/ruleOrder.ts';
import { toRoots } from '../../../../src/permissions/patterns/roots.ts';
import {
  type CompiledRule,
  compileRule,
  isEqual,
  isNarrower,
  parseRule,
} from '../../../../src/permissions/rules/compiledRule.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';

const FOLDERS = { workspace: ['/w'], adHoc: [], cwd: '/w' };
const CONTEXT = { roots: toRoots(FOLDERS, 'linux'), platform: 'linux', cwd: '/w' } as const;

function compile(rule: Rule): CompiledRule {
  return compileRule(parseRule(rule), CONTEXT);
}

function order(rules: readonly Rule[]): readonly string[] {
  return orderRules(rules.map(compile)).map(
    ({ permission, pattern, action }) => `${action} ${permission} ${pattern}`,
  );
}

const rule = (text: string, more: Partial<Rule> = {}): Rule => {
  const [, action = '', permission = '', pattern = ''] = /^(\S+) (\S+) (.+)$/.exec(text) ?? [];
  return { permission, pattern, action: action as Rule['action'], source: 'project', ...more };
};

test('rules are listed from single tools to all tools, and from narrow to wide', () => {
  const rules = [
    rule('allow * *'),
    rule('ask shell.run *'),
    rule('allow bash git *'),
    rule('deny bash git push'),
    rule('allow bash git push', { source: 'session' }),
    rule('allow bash *'),
    rule('allow edit src/**'),
    rule('ask edit {workspace}/**'),
    rule('deny edit src/lib'),
    rule('allow web_fetch *.example.com'),
    rule('ask web_fetch api.example.com'),
    rule('ask git* *'),
  ];
  assert.deepEqual(order(rules), [
    'deny bash git push',
    'allow bash git push',
    'allow bash git *',
    'allow bash *',
    'deny edit src/lib',
    'allow edit src/**',
    'ask edit {workspace}/**',
    'ask web_fetch api.example.com',
    'allow web_fetch *.example.com',
    'ask shell.run *',
    'ask git* *',
    'allow * *',
  ]);
});

test('rules of a capability are measured as those of its tools', () => {
  for (const [capability, tool, ...patterns] of [
    ['shell.run', 'bash', 'git *', 'gi*x', 'ls *', 'l*s'],
    ['fs.read', 'read', 'src/**', '**/a', 'src/{a,b}', './src/*'],
    ['net.fetch', 'web_fetch', '*.a.example', 'a.example:443', 'a.example', '*'],
  ] as const) {
    const ordered = (permission: string) =>
      order(patterns.map((pattern) => rule(`ask ${permission} ${pattern}`)));
    const expected = ordered(tool).map((line) => line.replace(tool, capability));
    assert.deepEqual(ordered(capability), expected);
  }
});

test('of equal rules, the one that counts comes first', () => {
  const [old, next] = [
    rule('allow bash ls', { added_at: 1 }),
    rule('ask bash ls', { added_at: 2 }),
  ];
  const session = rule('allow bash ls', { source: 'session' });
  assert.deepEqual(order([old, session]), order([session, old]));
  assert.equal(orderRules([old, session].map(compile))[0], session);
  assert.deepEqual(order([old, next]), ['ask bash ls', 'allow bash ls']);
  const pinned = rule('deny bash *', { source: 'manifest' });
  assert.deepEqual(order([old, pinned]), ['deny bash *', 'allow bash ls']);
});

const WORDS = fc.constantFrom(
  'git',
  'push',
  'a',
  'src',
  'lib',
  '-f',
  '-rf',
  '-r',
  '--force',
  '--force-with-lease',
  '*',
  'x*',
  '**',
);
const COMMAND = fc.array(WORDS, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
const FILE = fc
  .tuple(
    fc.constantFrom('', '/w/', '/', '{workspace}/', '**/'),
    fc.array(fc.constantFrom('src', 'lib', '*', '**', 'a?', '[ab]', '{src,lib}', '*.ts', 'a.ts'), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([base, names]) => base + names.join('/'));
const HOST = fc.constantFrom('*', '*.b.com', 'a.b.com', 'a.b.com:8', '*:8', '*.a.b.com');

function rules(permission: string, pattern: fc.Arbitrary<string>): fc.Arbitrary<Rule> {
  const action = fc.constantFrom('allow', 'ask', 'deny');
  const source = fc.constantFrom('session', 'project');
  return fc.record({ permission: fc.constant(permission), pattern, action, source });
}

for (const [permission, pattern, match] of [
  ['bash', COMMAND, 'command'],
  ['edit', FILE, 'path'],
  ['web_fetch', HOST, 'host'],
  ['todo', COMMAND, 'text'],
] as const) {
  test(`no rule of ${permission} is listed behind one that is wider`, () => {
    fc.assert(
      fc.property(fc.array(rules(permission, pattern), { maxLength: 8 }), (given) => {
        const compiled = given.map(compile);
        const places = orderRules(compiled);
        const ground = { match, path: '/none', platform: 'linux' } as const;
        for (const a of compiled) {
          for (const b of compiled) {
            if (!isNarrower(a, b, ground) || isEqual(a, b, ground)) continue;
            // A deny or ask of the same words is equal, so they stay together.
            if (given.some((each) => each.pattern === a.rule.pattern && each !== a.rule)) continue;
            const [at, other] = [places.indexOf(a.rule), places.indexOf(b.rule)];
            assert.ok(at < other, `${a.rule.pattern} is narrower than ${b.rule.pattern}`);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
}
