import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { parseRules } from '../../../src/permissions/rules/parseRules.ts';
import type { Policy } from '../../../src/permissions/rules/policy.ts';
import type { Rule } from '../../../src/permissions/rules/rule.ts';
import { compileRequirements, uniteRequirements } from '../../../src/permissions/rules/scope.ts';
import type { Subject } from '../../../src/permissions/rules/subject.ts';
import {
  bashCall,
  evaluate,
  evaluateBash,
  evaluateFileTool,
  policyOf,
  rulesOf,
  WORKSPACE,
} from './ask.ts';

const AT = { workspace: [WORKSPACE], adHoc: [], cwd: WORKSPACE };

test('VC-8 a tool’s wishes widen the declared set', () => {
  const manifest = { fs: { read: ['{workspace}/docs/**'] } };
  const scope = compileRequirements(
    uniteRequirements(manifest, { fs: { read: ['{workspace}/src/**'] } }),
    AT,
  );
  assert.deepEqual(
    ['docs/a', 'src/a', 'x'].map((name) => scope.allowsRead(`${WORKSPACE}/${name}`)),
    [true, true, false],
  );
});

test('two sets of wishes hold what either holds, and name no family that neither names', () => {
  const read = { read: ['a'], write: [] };
  const none = { shell: [], capabilities: [] };
  assert.deepEqual(uniteRequirements({ fs: { read: ['a'] } }, {}), { fs: read, ...none });
  assert.deepEqual(uniteRequirements({}, { fs: { read: ['a'] } }), { fs: read, ...none });
  const net = { hosts: ['h'] };
  assert.deepEqual(uniteRequirements({ net }, {}), { net, ...none });
  assert.deepEqual(uniteRequirements({}, { net }), { net, ...none });
  assert.deepEqual(uniteRequirements({}, {}), none);
});

test('VC-9 an unknown variable throws and is named', () => {
  assert.throws(() => compileRequirements({ fs: { read: ['{workspce}/**'] } }, AT), /\{workspce\}/);
  assert.throws(() => compileRequirements({ net: { hosts: ['{hots}'] } }, AT), /\{hots\}/);
});

test('VC-10 without a folder nothing is readable', async () => {
  const folders = { workspace: [], adHoc: [], cwd: '/nonexistent/scratch' };
  const more = { folders, capabilities: { fs: { read: ['{workspace}/**'] } } };
  assert.equal(
    (await evaluateFileTool('read', 'README.md', ['* * allow'], more)).decision,
    'refuse',
  );
});

test('VC-11 and VC-40: what leads outside is refused, whatever is allowed', async () => {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'vectors-')));
  const root = path.join(base, 'root');
  mkdirSync(root);
  writeFileSync(path.join(base, 'secret'), '');
  symlinkSync(path.join(base, 'secret'), path.join(root, 'link'));
  symlinkSync(base, path.join(root, 'up'));
  const more: Partial<Policy> = {
    folders: { workspace: [root], adHoc: [], cwd: root },
    capabilities: { fs: { read: ['{workspace}/**'], write: ['{workspace}/**'] } },
  };
  for (const target of [
    '../../etc/passwd',
    'link',
    'up/secret',
    'a\0b',
    '/etc/passwd',
    '~/.ssh/x',
  ]) {
    const { decision, layer } = await evaluateFileTool('read', target, ['* * allow'], more);
    assert.deepEqual([target, decision, layer], [target, 'refuse', 'capability']);
  }
  for (const target of ['%2e%2e/secret', '..../f', 'a/../b']) {
    assert.equal(
      (await evaluateFileTool('read', target, ['* * allow'], more)).decision,
      'allow',
      target,
    );
  }
  rmSync(base, { recursive: true });
});

test('VC-12 each root is readable', () => {
  const folders = { workspace: ['/a', '/b[1]'], adHoc: [], cwd: '/a' };
  const scope = compileRequirements({ fs: { read: ['{workspace}/**'] } }, folders);
  assert.deepEqual(
    ['/a/x', '/b[1]/x', '/b1/x'].map((each) => scope.allowsRead(each)),
    [true, true, false],
  );
});

const SHELLS: readonly (readonly [string, object, string, boolean])[] = [
  ['VC-13', { cmd: 'git', args: ['status'] }, 'git status', true],
  ['VC-13', { cmd: 'git', args: ['status'] }, 'git status -s', false],
  ['VC-13', { cmd: 'git', args: ['status'] }, 'git push', false],
  ['VC-13', { cmd: 'git', args: ['status'] }, '/opt/x/git status', false],
  ['VC-14', { cmd: 'npm', args: ['run', { wildcard: true }] }, 'npm run build', true],
  ['VC-14', { cmd: 'npm', args: ['run', { wildcard: true }] }, 'npm run', false],
  ['VC-14', { cmd: 'npm', args: ['run', { wildcard: true }] }, 'npm run a b', false],
  ['VC-14', { cmd: 'npm', args: ['run', { wildcard: true }] }, 'npm run --x', false],
  ['VC-15', { cmd: 'node', args: [{ prefix: 'scripts/' }] }, 'node scripts/a.js', true],
  ['VC-15', { cmd: 'node', args: [{ prefix: 'scripts/' }] }, 'node ./scripts/a.js', false],
  ['CA-18', { cmd: 'ls', args: [] }, 'ls', true],
  ['CA-18', { cmd: 'ls', args: [] }, 'ls -l', false],
  ['CA-18', { cmd: 'ls' }, 'ls -l a', true],
  ['CA-19', { cmd: '/opt/x/git', args: ['status'] }, '/opt/x/git status', true],
  ['CA-19', { cmd: '/opt/x/git' }, '/opt/x/../y/git status', false],
  ['CA-19', { cmd: '/opt/x/git' }, 'git status', false],
  ['CA-19', { cmd: './git' }, './git status', false],
  ['CA-20', { cmd: 'ls' }, 'ls $x', false],
  ['CA-20', { cmd: 'ls' }, 'ls > f', false],
  ['CA-20', { cmd: 'ls' }, 'ls; ls', true],
  ['CA-20', { cmd: 'ls' }, 'ls; pwd', false],
  ['issue', { cmd: 'timeout' }, 'timeout 5 ls', false],
  ['issue', { cmd: '*' }, 'timeout 5 ls x', true],
];
for (const [id, requirement, command, granted] of SHELLS) {
  test(`${id} ${JSON.stringify(requirement)} ${granted ? 'covers' : 'refuses'} ${command}`, async () => {
    const capabilities = { shell: [requirement] } as NonNullable<Policy['capabilities']>;
    const { decision } = await evaluateBash(command, ['bash * allow'], { capabilities });
    assert.equal(decision, granted ? 'allow' : 'refuse');
  });
}

test('VC-16 hosts are compared as names, without case', () => {
  const scope = compileRequirements({ net: { hosts: ['api.example.com', '*.sub.example'] } }, AT);
  const asked: readonly (readonly [string, number])[] = [
    ['API.EXAMPLE.COM', 443],
    ['api.example.com.', 80],
    ['api.example.com', 8080],
    ['api.example.com.evil.io', 443],
    ['evil.io', 443],
    ['a.sub.example', 443],
    ['sub.example', 443],
  ];
  assert.deepEqual(
    asked.map(([host, port]) => scope.allowsHost(host, port)),
    [true, true, false, false, false, true, false],
  );
});

const MATRIX: readonly (readonly [
  id: string,
  rules: readonly string[],
  call: string,
  expected: string,
  headless?: true,
])[] = [
  ['VC-19', [], 'ls', 'ask'],
  ['VC-20', [], 'ls', 'deny', true],
  ['VC-21', ['bash rm ** deny manifest', 'bash rm ** allow'], 'rm x', 'deny'],
  ['VC-23', ['bash * ask manifest', 'bash git status allow project'], 'git status', 'allow'],
  ['VC-26', ['bash git allow project'], 'gitx', 'ask'],
  ['VC-26', ['bash git allow project'], 'git log', 'allow'],
  ['VC-28', ['bash ls allow project'], 'ls; rm -rf x', 'ask'],
  ['VC-29', ['bash echo ** allow project'], 'echo $(curl h)', 'ask'],
  ['VC-29', ['bash echo ** allow project'], 'echo a > f', 'ask'],
  ...['FOO=1 curl h', 'env curl h', 'sh -c "curl h"', '\\curl h', "cu''rl h"].map(
    (call) => ['VC-30', ['bash curl ** deny project', 'bash * allow'], call, 'deny'] as const,
  ),
];
for (const [id, rules, call, expected, headless] of MATRIX) {
  test(`${id} ${call} is ${expected} under ${rules.join(', ') || 'no rule'}`, async () => {
    const { decision } = await evaluateBash(call, rules, headless ? { headless } : {});
    assert.equal(decision, expected);
  });
}

const FILES: readonly (readonly [
  id: string,
  rules: readonly string[],
  tool: string,
  path: string,
  expected: string,
])[] = [
  [
    'VC-22',
    ['fs.write ** deny manifest', 'write a.txt allow project', '* ** allow'],
    'write',
    'a.txt',
    'deny',
  ],
  ['VC-24', ['read ** allow manifest', 'read .env deny'], 'read', '.env', 'deny'],
  ['VC-25', ['read ** allow manifest', '* secrets/** deny project'], 'read', 'secrets/k', 'deny'],
  ['VC-27', ['fs.write src/** allow project', 'edit src/gen/** ask'], 'edit', 'src/gen/a', 'ask'],
];
for (const [id, rules, tool, target, expected] of FILES) {
  test(`${id} ${tool} ${target} is ${expected} under ${rules.join(', ')}`, async () => {
    assert.equal((await evaluateFileTool(tool, target, rules)).decision, expected);
  });
}

async function evaluateMcp(tool: string, rules: readonly string[]): Promise<string> {
  const subject = { permission: tool, target: '{}', match: 'text' } as const;
  return (await evaluate({ tool, input: {}, subjects: [subject] }, policyOf(rulesOf(...rules))))
    .decision;
}

test('VC-33 the colon form reaches the registered name, and no locked tool', async () => {
  assert.equal(await evaluateMcp('gh_create', ['mcp:gh:* * allow project']), 'allow');
  assert.equal(await evaluateMcp('mcp:gh:create', ['gh_create * allow project']), 'allow');
  assert.equal(await evaluateMcp('web_fetch', ['mcp:web:* * allow project']), 'ask');
  assert.equal(await evaluateMcp('ghx_create', ['mcp:gh:* * allow project']), 'ask');
});

test('VC-33 an allow for a server reaches no tool of the host and none that a manifest declares', async () => {
  assert.equal(await evaluateMcp('repo_clone', ['mcp:repo:* * allow project']), 'ask');
  assert.equal(await evaluateMcp('apply_patch', ['mcp:apply:* * allow project']), 'ask');
  const declared = { permission: 'gh_create', capability: 'shell.run', argv: ['./create'] };
  const subject: Subject = { ...declared, target: '{}', match: 'text' };
  const call = { tool: 'gh_create', input: {}, subjects: [subject] } as const;
  const decide = async (rule: string) => (await evaluate(call, policyOf(rulesOf(rule)))).decision;
  assert.equal(await decide('mcp:gh:* * allow'), 'ask');
  assert.equal(await decide('mcp:gh:* * deny'), 'deny');
  assert.equal(await decide('gh_create * allow'), 'allow');
});

test('VC-34 incomparable names take the strictest', async () => {
  const rules = ['mcp:*:shell_* * deny project', 'mcp:gh:* * allow'];
  assert.equal(await evaluateMcp('gh_shell_run', rules), 'deny');
  assert.equal(await evaluateMcp('mcp:gh:shell_run', rules), 'deny');
  assert.equal(await evaluateMcp('gh_run', rules), 'allow');
});

test('VC-35 a bad rule is named, allows nothing and softens no deny', async () => {
  const { rules, problems } = parseRules([
    { permission: 'bash', pattern: 'git *', action: 'deny' },
    { permission: 'bash', pattern: 'git push', action: 'Allow' },
    { permission: 'bash', pattern: 'ls', action: 'allow' },
    { permission: 'bash', action: 'allow' },
  ]);
  assert.deepEqual(
    problems.map(({ index, field }) => [index, field]),
    [
      [1, 'action'],
      [3, 'pattern'],
    ],
  );
  const decide = async (command: string) =>
    (await evaluate(bashCall(command), policyOf(rules))).decision;
  assert.equal(await decide('git push'), 'deny');
  assert.equal(await decide('ls'), 'ask');
});

test('VC-36 a rule without a source loads as session', () => {
  const { rules } = parseRules([{ permission: 'bash', pattern: 'ls', action: 'allow' }]);
  assert.equal(rules[0]?.source, 'session');
});

test('VC-31, VC-32: a stored answer allows the same call again, and a new session asks', async () => {
  const { candidates } = await evaluateBash('git status');
  const [narrowest] = candidates;
  assert.ok(narrowest);
  for (const source of ['session', 'project'] as const) {
    const rules: readonly Rule[] = narrowest.rules.map((rule) => ({ ...rule, source }));
    assert.equal((await evaluate(bashCall('git status'), policyOf(rules))).decision, 'allow');
  }
  assert.equal((await evaluateBash('git status')).decision, 'ask');
});
