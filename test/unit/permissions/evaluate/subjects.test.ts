import assert from 'node:assert/strict';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { isLocalRequest } from '../../../../src/permissions/patterns/localRequest.ts';
import type { Policy } from '../../../../src/permissions/rules/policy.ts';
import type { CapabilitySet } from '../../../../src/permissions/rules/requirements.ts';
import type { Subject } from '../../../../src/permissions/rules/subject.ts';
import { bashCall, evaluate, evaluateFileTool, plantWorkspace, policyOf, rulesOf } from '../ask.ts';

/** The decision on a call of a declared tool with these subjects. */
function decide(
  subjects: readonly [Subject, ...Subject[]],
  rules: readonly string[],
  more: Partial<Policy> = {},
) {
  return evaluate({ tool: 'x', input: {}, subjects }, policyOf(rulesOf(...rules), more));
}

test('what a declared tool starts must be granted, not only its capability', async () => {
  const argv: Subject = {
    permission: 'x',
    capability: 'shell.run',
    target: 'status',
    match: 'text',
    argv: ['git', 'status'],
  };
  const { argv: _argv, ...plain } = argv;
  const decideIn = async (subject: Subject, capabilities: CapabilitySet) =>
    (await decide([subject], ['x * allow'], { capabilities })).decision;
  const git = { shell: [{ cmd: 'git' }] };
  assert.equal(await decideIn(argv, git), 'allow');
  assert.equal(await decideIn({ ...argv, argv: ['ls'] }, git), 'refuse');
  assert.equal(await decideIn(argv, { capabilities: ['shell.run'] }), 'refuse');
  assert.equal(await decideIn(plain, { capabilities: ['shell.run'] }), 'allow');
  assert.equal(await decideIn(plain, git), 'refuse');
  assert.equal(await decideIn({ ...argv, capability: 'ui.show' }, git), 'refuse');
  const shown = { ...git, capabilities: ['ui.show'] };
  assert.equal(await decideIn({ ...argv, capability: 'ui.show', argv: ['ls'] }, shown), 'allow');
});

test('the reason for several files counts all that no rule covers, each once', async () => {
  const write = (target: string, permission = 'write'): Subject => ({
    ...{ permission, capability: 'fs.write', target, match: 'path' },
  });
  const reasonOf = async (subjects: readonly [Subject, ...Subject[]], ...rules: string[]) =>
    (await decide(subjects, rules)).reason;
  const [one, two, three] = ['one.txt', 'two.txt', 'three.txt'].map((each) => write(each));
  assert.ok(one && two && three);
  assert.equal(await reasonOf([one]), 'No rule covers `one.txt`.');
  assert.equal(await reasonOf([one, write('one.txt', 'edit')]), 'No rule covers `one.txt`.');
  assert.equal(await reasonOf([one, two, three]), 'No rule covers `one.txt` and 2 more.');
  const allowed = await reasonOf([one, two, three], 'write two.txt allow');
  assert.equal(allowed, 'No rule covers `one.txt` and 1 more.');
  assert.match(await reasonOf([one, two, three], 'write two.txt deny'), /denies `two\.txt`/);
  const commands = ['make a', 'make b'].map(
    (target): Subject => ({ permission: 'x', target, match: 'text' }),
  );
  const [first, second] = commands;
  assert.ok(first && second);
  assert.equal(await reasonOf([first, second]), 'No rule covers `make a`.');
});

test('a host that only tightens leaves an allowed call alone', async () => {
  const text: Subject = { permission: 'x', target: 'a', match: 'text' };
  const host: Subject = {
    permission: 'x',
    capability: 'net.fetch',
    target: 'https://a.example/',
    match: 'host',
    tightensOnly: true,
  };
  const decideUnder = async (rule: string, more: Partial<Policy> = {}) =>
    decide([text, host], ['x a allow', rule], more);
  for (const [rule, expected, count] of [
    ['net.fetch b.example deny', 'allow', 1],
    ['net.fetch a.example allow', 'allow', 1],
    ['net.fetch a.example ask', 'ask', 2],
    ['net.fetch a.example deny', 'deny', 2],
  ] as const) {
    const { decision, subjects } = await decideUnder(rule);
    assert.deepEqual([decision, subjects.length], [expected, count], rule);
  }
  const capabilities = { net: { hosts: ['b.example'] } };
  assert.equal((await decideUnder('x b allow', { capabilities })).decision, 'refuse');
});

test('a text that only tightens neither asks by itself nor has a rule stored for it', async () => {
  const target = '{"a":1}';
  const own: Subject = { permission: 'mcp:hub_2:act', target, match: 'text' };
  const shared: Subject = { ...own, permission: 'mcp:hub:act', tightensOnly: true };
  const decideUnder = (...rules: string[]) => decide([own, shared], rules);
  for (const [rules, expected, count] of [
    [[], 'ask', 1],
    [['mcp:hub:* * allow'], 'ask', 1],
    [['mcp:hub_2:* * allow'], 'allow', 1],
    [['mcp:hub_2:* * allow', 'mcp:hub:* * allow'], 'allow', 1],
    [['mcp:hub_2:* * allow', 'mcp:hub:* * ask'], 'ask', 2],
    [['mcp:hub_2:* * allow', 'mcp:hub:* * deny'], 'deny', 2],
  ] as const) {
    const { decision, subjects } = await decideUnder(...rules);
    assert.deepEqual([decision, subjects.length], [expected, count], rules.join());
  }
  const asked = await decideUnder();
  const offered = [...asked.offers().allow, ...asked.offers().deny].flatMap(
    (part) => part.patterns,
  );
  const stored = [
    ...offered.map(({ rule }) => rule),
    ...asked.candidates().flatMap((c) => c.rules),
  ];
  assert.ok(stored.length > 0);
  for (const { permission } of stored) assert.match(permission, /^mcp:hub_2:/);
});

test('a refusal says where files may be read and written', async () => {
  const capabilities = { fs: { read: ['docs/**'], write: ['out/**'] } };
  const reason = async (tool: string) =>
    (await evaluateFileTool(tool, 'src/f', [`${tool} ** allow`], { capabilities })).reason;
  assert.match(await reason('read'), /fs\.read of `src\/f`\. It may read `docs\/\*\*`\./);
  assert.match(await reason('write'), /fs\.write of `src\/f`\. It may write `out\/\*\*`\./);
  const host: Subject = {
    permission: 'x',
    capability: 'net.fetch',
    target: 'https://a.example/',
    match: 'host',
  };
  const { reason: ofHost } = await decide([host], ['x * allow'], { capabilities });
  assert.equal(
    ofHost,
    "The agent's capabilities don't allow this call: net.fetch of `https://a.example/`.",
  );
});

test('a refusal of a set that grants reading only says why, also of one that lies within it', async () => {
  const readOnly = 'The approval mode of the session is Read Only.';
  const own = { fs: { read: ['{workspace}/**'] }, readOnly };
  const child = { fs: { read: ['{workspace}/**'], write: ['{workspace}/**'] }, within: own };
  for (const capabilities of [own, child]) {
    const reason = async (tool: string, file: string) =>
      (await evaluateFileTool(tool, file, [`${tool} ** allow`], { capabilities })).reason;
    assert.match(
      await reason('write', 'src/f'),
      /fs\.write of `src\/f`\. The approval mode .*Only\.$/,
    );
    assert.match(await reason('read', '/etc/x'), /fs\.read of .* It may read/);
  }
});

test('nothing is offered for another name of a protected file, or for a broken rule', async () => {
  const workspace = plantWorkspace(['.vscode/tasks.json', 'a']);
  linkSync(path.join(workspace, '.vscode/tasks.json'), path.join(workspace, 'notes'));
  const folders = { workspace: [workspace], adHoc: [], cwd: workspace };
  const linked = await evaluateFileTool('write', 'notes', ['write ** allow'], {
    folders,
    lookMs: 60_000,
  });
  assert.deepEqual([linked.decision, linked.candidates], ['ask', []]);
  const plain = await evaluateFileTool('write', 'a', [], { folders, lookMs: 60_000 });
  assert.equal(plain.candidates.length > 0, true);

  const [rule] = rulesOf('bash ls * allow');
  assert.ok(rule);
  const broken = { ...rule, action: 'ask', broken: true } as const;
  const rules = [...rulesOf('bash ls allow'), broken];
  const decision = await evaluate(bashCall('ls'), policyOf(rules));
  assert.deepEqual([decision.decision, decision.candidates()], ['ask', []]);
});

test('a request to this machine is one of curl whose words all are literal', async () => {
  const policy = policyOf(DEFAULT_RULES);
  const decideLine = async (line: string) => (await evaluate(bashCall(line), policy)).decision;
  assert.equal(await decideLine('curl -s http://localhost:3000/'), 'allow');
  for (const line of [
    'curl -s http://localhost:3000/$x',
    'curl -s http://localhost:$PORT/',
    'curl -s "http://localhost:3000/$(cat .env)"',
    'wget http://localhost:3000/',
    'http http://localhost:3000/',
  ])
    assert.equal(await decideLine(line), 'ask', line);
});

test('git asks where the repository it reads is unknown', async () => {
  const policy = policyOf([...DEFAULT_RULES, ...rulesOf('bash cd * allow')]);
  for (const line of ['git status', 'git log', 'git branch']) {
    const { subjects } = await evaluate(bashCall(`cd -; ${line}`), policy);
    const own = subjects.filter(({ target }) => target === line);
    assert.deepEqual(
      own.map(({ decision }) => decision),
      ['ask'],
      line,
    );
  }
});

test('ignore files are looked for in the workspace alone', async () => {
  const workspace = plantWorkspace(['src/a', 'lib/b']);
  const outside = path.dirname(workspace);
  writeFileSync(path.join(outside, 'secret'), 'x');
  mkdirSync(path.join(outside, 'else'));
  symlinkSync(path.join(outside, 'secret'), path.join(outside, '.gitignore'));
  symlinkSync(path.join(outside, 'secret'), path.join(outside, 'else/.gitignore'));
  const folders = { workspace: [workspace], adHoc: [], cwd: workspace };
  const rules = [...DEFAULT_RULES, ...rulesOf('fs.read ** allow', 'fs.read **/secret deny')];
  const decideLine = async (line: string) =>
    (await evaluate(bashCall(line), policyOf(rules, { folders, lookMs: 60_000 }))).decision;
  assert.equal(await decideLine('rg x src'), 'allow');
  assert.equal(await decideLine(`rg x ${outside}/else`), 'allow');
  assert.equal(await decideLine('rg x ../else'), 'allow');
  symlinkSync(path.join(outside, 'secret'), path.join(workspace, 'src/.gitignore'));
  assert.equal(await decideLine('rg x lib'), 'allow');
  assert.equal(await decideLine('rg x src'), 'deny');
});

test('what git prints comes from commits, whatever lies in the folder now', async () => {
  const workspace = plantWorkspace(['src/a']);
  const folders = { workspace: [workspace], adHoc: [], cwd: workspace };
  const rules = rulesOf('bash * allow', 'fs.read **/secret.txt deny', 'fs.write **/key.txt deny');
  for (const [line, expected] of [
    ['git show HEAD', 'ask'],
    ['git log -p', 'ask'],
    ['git diff main', 'ask'],
    ['git checkout main -- src', 'ask'],
    ['git log --oneline', 'allow'],
    ['git status', 'allow'],
    ['git add src', 'allow'],
  ] as const) {
    const { decision, reason } = await evaluate(
      bashCall(line),
      policyOf(rules, { folders, lookMs: 60_000 }),
    );
    assert.equal(decision, expected, `${line}: ${reason}`);
  }
});

test('repositories of submodules are ordinary ones if their configurations are', async () => {
  const workspace = plantWorkspace([
    'a.ts',
    '.git/refs/x',
    '.git/objects/x',
    '.git/modules/a/b/refs/x',
    '.git/modules/a/b/modules/c/x',
  ]);
  const write = (name: string, text: string) => writeFileSync(path.join(workspace, name), text);
  write('.git/HEAD', 'ref: refs/heads/main\n');
  write('.git/modules/a/b/HEAD', 'ref: refs/heads/main\n');
  write('.git/modules/a/b/config', '[core]\n\tbare = false\n');
  const folders = { workspace: [workspace], adHoc: [], cwd: workspace };
  const decideLine = async () =>
    (await evaluate(bashCall('git status'), policyOf(DEFAULT_RULES, { folders, lookMs: 60_000 })))
      .decision;
  assert.equal(await decideLine(), 'allow');
  write('.git/modules/a/b/modules/c/HEAD', 'ref: refs/heads/main\n');
  write('.git/modules/a/b/modules/c/config', '[core]\n\tfsmonitor = ./evil\n');
  assert.equal(await decideLine(), 'ask');
});

test('a file in any of the workspace folders is not outside', async () => {
  const [one, two, other] = [plantWorkspace(['a']), plantWorkspace(['b']), plantWorkspace(['c'])];
  const folders = { workspace: [one, two], adHoc: [], cwd: one };
  const riskOf = async (file: string) =>
    (await evaluateFileTool('write', file, [], { folders, lookMs: 60_000 })).details().at(-1)?.risk;
  assert.equal(await riskOf(path.join(one, 'a')), undefined);
  assert.equal(await riskOf(path.join(two, 'b')), undefined);
  assert.equal(await riskOf(path.join(other, 'c')), 'outside');
});

test('only curl makes a request to this machine', () => {
  assert.equal(isLocalRequest(['curl', 'http://localhost/']), true);
  assert.equal(isLocalRequest(['wget', 'http://localhost/']), false);
  assert.equal(isLocalRequest(['curl']), false);
  assert.equal(isLocalRequest([]), false);
});
