import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { parseRules } from '../../../../src/permissions/rules/parseRules.ts';
import { bashCall, evaluate, evaluateBash, evaluateFileTool, policyOf } from '../ask.ts';

test('a good rule is read whole, with its place', () => {
  const entry = {
    permission: 'mcp:a-b:*',
    pattern: 'x',
    action: 'deny',
    source: 'project',
    added_at: 5,
  };
  assert.deepEqual(parseRules([entry], 'manifest', { layer: 'user', file: 'f' }), {
    rules: [{ ...entry, origin: { layer: 'user', file: 'f', index: 0 } }],
    problems: [],
  });
  assert.equal(
    parseRules([{ ...entry, source: undefined }], 'manifest').rules[0]?.source,
    'manifest',
  );
  assert.deepEqual(parseRules(undefined), { rules: [], problems: [] });
  assert.deepEqual(parseRules(null), { rules: [], problems: [] });
});

const BAD: readonly (readonly [unknown, string | undefined])[] = [
  ['x', undefined],
  [null, undefined],
  [[], undefined],
  [{ pattern: 'x', action: 'allow' }, 'permission'],
  [{ permission: '', pattern: 'x', action: 'allow' }, 'permission'],
  [{ permission: 'ba sh', pattern: 'x', action: 'allow' }, 'permission'],
  [{ permission: 'bash', action: 'allow' }, 'pattern'],
  [{ permission: 'bash', pattern: '', action: 'allow' }, 'pattern'],
  [{ permission: 'bash', pattern: 5, action: 'allow' }, 'pattern'],
  [{ permission: 'bash', pattern: "a 'b", action: 'allow' }, 'pattern'],
  [{ permission: 'shell.run', pattern: '"', action: 'allow' }, 'pattern'],
  [{ permission: 'read', pattern: '{workspce}/**', action: 'allow' }, 'pattern'],
  [{ permission: 'read', pattern: 'a\0', action: 'allow' }, 'pattern'],
  [{ permission: 'read', pattern: 'a'.repeat(4097), action: 'allow' }, 'pattern'],
  [{ permission: 'bash', pattern: 'x' }, 'action'],
  [{ permission: 'bash', pattern: 'x', action: 'Allow' }, 'action'],
  [{ permission: 'bash', pattern: 'x', action: 'allow', source: 'user' }, 'source'],
  [{ permission: 'bash', pattern: 'x', action: 'allow', added_at: '5' }, 'added_at'],
];
for (const [entry, field] of BAD) {
  test(`a bad rule is named and allows nothing: ${JSON.stringify(entry)?.slice(0, 80)}`, async () => {
    const { rules, problems } = parseRules([
      { permission: 'bash', pattern: '*', action: 'allow' },
      entry,
    ]);
    assert.deepEqual(
      problems.map(({ index, field: at }) => [index, at]),
      [[1, field]],
    );
    assert.equal(rules.length, 2);
    assert.equal(rules[1]?.broken, true);
    assert.notEqual(rules[1]?.action, 'allow');
  });
}

test('what braces hold is a list, not a variable, and commands keep theirs', () => {
  const fine = [
    { permission: 'read', pattern: '{workspace}/{a,b}', action: 'allow' },
    { permission: 'bash', pattern: 'echo {x}', action: 'allow' },
  ];
  assert.deepEqual(parseRules(fine).problems, []);
});

test('what is no list makes everything ask', async () => {
  const { rules, problems } = parseRules({ a: 1 });
  assert.deepEqual(
    problems.map(({ index }) => index),
    [-1],
  );
  const { decision } = await evaluate(
    bashCall('ls'),
    policyOf([...rules, { permission: 'bash', pattern: 'ls', action: 'allow', source: 'session' }]),
  );
  assert.equal(decision, 'ask');
});

test('a rule that reaches the judge unread only turns an allow into an ask', async () => {
  assert.equal(
    (await evaluateFileTool('read', 'a', ['read ** allow', 'read {nowhere}/** deny'])).decision,
    'ask',
  );
  assert.equal(
    (await evaluateFileTool('read', 'a', ['read a deny', 'read {nowhere}/** ask'])).decision,
    'deny',
  );
  assert.equal((await evaluateBash('ls', ['bash * allow', "bash 'a deny"])).decision, 'ask');
});

/** Decision 2: equal rules. */
function check(rules: readonly object[], expected: string) {
  test(`${JSON.stringify(rules)} is ${expected}`, async () => {
    const parsed = parseRules(
      rules.map((rule) => ({ permission: 'bash', pattern: 'ls', ...rule })),
    );
    assert.deepEqual(parsed.problems, []);
    assert.equal((await evaluate(bashCall('ls'), policyOf(parsed.rules))).decision, expected);
  });
}
check(
  [
    { action: 'ask', source: 'session' },
    { action: 'allow', source: 'project' },
  ],
  'ask',
);
check(
  [
    { action: 'allow', source: 'session' },
    { action: 'ask', source: 'project' },
  ],
  'allow',
);
check(
  [
    { action: 'allow', source: 'project' },
    { action: 'ask', source: 'manifest' },
  ],
  'allow',
);
check(
  [
    { action: 'allow', source: 'session' },
    { action: 'deny', source: 'project' },
  ],
  'deny',
);
check(
  [
    { action: 'deny', source: 'project' },
    { action: 'allow', source: 'session', added_at: 9 },
  ],
  'deny',
);
check(
  [
    { action: 'allow', added_at: 2 },
    { action: 'ask', added_at: 1 },
  ],
  'allow',
);
check(
  [
    { action: 'allow', added_at: 1 },
    { action: 'ask', added_at: 2 },
  ],
  'ask',
);
check([{ action: 'allow', added_at: 1 }, { action: 'ask' }], 'allow');
check([{ action: 'allow' }, { action: 'ask' }], 'ask');
check(
  [
    { action: 'allow', pattern: 'ls *' },
    { action: 'ask', pattern: 'ls', source: 'project' },
  ],
  'allow',
);
check(
  [
    { action: 'allow', permission: 'shell.run' },
    { action: 'ask', permission: '*' },
  ],
  'allow',
);
check(
  [
    { action: 'ask', permission: 'shell.run' },
    { action: 'allow', permission: 'bash' },
  ],
  'allow',
);
check(
  [
    { action: 'deny', permission: 'shell.run' },
    { action: 'allow', permission: 'bash' },
  ],
  'allow',
);
check(
  [
    { action: 'deny', permission: 'b*' },
    { action: 'allow', permission: 'bash' },
  ],
  'allow',
);
check(
  [
    { action: 'deny', permission: 'b*' },
    { action: 'allow', permission: 'shell.run' },
  ],
  'deny',
);
check(
  [
    { action: 'deny', permission: '*' },
    { action: 'allow', permission: 'b*' },
  ],
  'allow',
);
check(
  [
    { action: 'deny', permission: 'bash', pattern: '*' },
    { action: 'allow', permission: '*', pattern: 'ls' },
  ],
  'deny',
);
check(
  [
    { action: 'deny', permission: 'bash', pattern: 'l*' },
    { action: 'allow', permission: 'bash', pattern: '*s' },
  ],
  'deny',
);
check([{ action: 'deny', pattern: '*', source: 'manifest' }, { action: 'allow' }], 'deny');
check([{ action: 'ask', pattern: '*', source: 'manifest' }, { action: 'allow' }], 'allow');

test('the shipped rules are all readable, default by origin, and deny nothing', () => {
  const { problems } = parseRules(
    DEFAULT_RULES.map(({ origin: _origin, flags: _flags, ...rule }) => rule),
  );
  assert.deepEqual(problems, []);
  assert.ok(
    DEFAULT_RULES.every(
      ({ origin, action }, index) =>
        origin?.layer === 'default' && origin.index === index && action !== 'deny',
    ),
  );
});

test('shipped rules give way to equal ones of the user, whatever their age', async () => {
  for (const source of ['project', 'session'] as const) {
    const own = { permission: 'bash', pattern: 'git push *', action: 'allow', source } as const;
    const { decision } = await evaluate(bashCall('git push'), policyOf([...DEFAULT_RULES, own]));
    assert.equal(decision, 'allow');
  }
});

test('shipped rules give way to narrower ones of the user', async () => {
  const decide = async (command: string, ...more: Parameters<typeof policyOf>[0][number][]) =>
    (await evaluate(bashCall(command), policyOf([...DEFAULT_RULES, ...more]))).decision;
  assert.equal(await decide('cat .env'), 'ask');
  assert.equal(
    await decide('cat .env', {
      permission: 'fs.read',
      pattern: '{workspace}/.env',
      action: 'allow',
      source: 'session',
    }),
    'allow',
  );
  assert.equal(
    await decide('git push', {
      permission: 'bash',
      pattern: '*',
      action: 'allow',
      source: 'session',
    }),
    'ask',
  );
  assert.equal(
    await decide('git push origin', {
      permission: 'bash',
      pattern: 'git push origin',
      action: 'allow',
      source: 'session',
    }),
    'allow',
  );
  assert.equal(
    await decide('ls', { permission: 'bash', pattern: 'ls', action: 'deny', source: 'session' }),
    'deny',
  );
  assert.equal(await decide('cat /etc/hosts'), 'ask');
  assert.equal(
    await decide('npm test', {
      permission: 'bash',
      pattern: 'npm test',
      action: 'allow',
      source: 'session',
    }),
    'allow',
  );
});

test('a rule can name a tool of a server that has a slash in its name, and nothing else with one', () => {
  const check = (permission: string, expected: number) => {
    const { problems } = parseRules([{ permission, pattern: '*', action: 'allow' }]);
    assert.equal(problems.length, expected, permission);
  };
  check('mcp:github:issues/create', 0);
  check('mcp:github:issues/*', 0);
  check('issues/create', 1);
  check('mcp:git/hub:create', 1);
  check('mcp:github:is sues', 1);
});
