import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Decision, NearRule, Policy } from '../../../../src/permissions/rules/policy.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';
import { bashCall, evaluate, policyOf, rulesOf } from '../ask.ts';

function run(line: string, rules: readonly Rule[]): Promise<Decision> {
  return Promise.resolve(evaluate(bashCall(line), policyOf(rules)));
}

async function nearOf(line: string, ...rules: readonly string[]): Promise<string | undefined> {
  return (await run(line, rulesOf(...rules))).near?.()?.reason;
}

const SHIPPED: Rule = {
  ...{ permission: 'bash', pattern: 'git push *', action: 'ask', source: 'manifest' },
  origin: { layer: 'default', index: 0 },
};

for (const [line, rules, expected] of [
  [
    'git push --force origin',
    ['bash git push origin allow'],
    'The rule `bash git push origin` would allow it without `--force`.',
  ],
  [
    'frob -o out x',
    ['bash frob x allow'],
    'The rule `bash frob x` would allow it without `-o out`.',
  ],
  [
    'frob lib --fast',
    ['bash frob src * allow'],
    'The rule `bash frob src *` has `src` where this command has `lib`.',
  ],
  ['frob a', ['bash other * allow'], undefined],
  ['frob a', ['bash frob b deny', 'bash frob c ask'], undefined],
  ['frob a b', ['bash frob c d allow'], undefined],
  // What the rule asks about is the user's own wish.
  ['frob a', ['bash frob a ask', 'bash frob b allow'], undefined],
  ['frob "$(date)"', ['bash frob a allow'], undefined],
] as const) {
  test(`${line} with ${rules.join(', ')}: ${expected ?? 'nothing is near'}`, async () => {
    assert.equal(await nearOf(line, ...rules), expected);
  });
}

test('an ask of a shipped rule names the rule that nearly allows it', async () => {
  const rules = [SHIPPED, ...rulesOf('bash git push origin main allow')];
  const decision = await run('git push --force origin main', rules);
  assert.match(decision.near?.()?.reason ?? '', /would allow it without `--force`/);
});

test('words that no wildcard matches must be in the rule', async () => {
  const decision = await run('sort -o out a', rulesOf('bash sort * allow'));
  const { difference, reason } = decision.near?.() ?? assert.fail();
  assert.equal(difference.kind, 'unnamed');
  assert.match(
    reason,
    /^The rule `bash sort \*` covers it, except that `.*` must be written in the rule\.$/,
  );
});

test('files of another folder or ending, and hosts of the same domain, are near', async () => {
  const edit = (target: string) => {
    const own = { permission: 'edit', capability: 'fs.write', target, match: 'path' } as const;
    return { tool: 'edit', input: {}, subjects: [own] as const };
  };
  const fetch = (target: string) => {
    const own = {
      permission: 'web_fetch',
      capability: 'net.fetch',
      target,
      match: 'host',
    } as const;
    return { tool: 'web_fetch', input: {}, subjects: [own] as const };
  };
  const find = async (
    call: ReturnType<typeof edit> | ReturnType<typeof fetch>,
    rule: string,
    more: Partial<Policy> = {},
  ) => (await evaluate(call, policyOf(rulesOf(rule), more))).near?.()?.reason;
  assert.equal(
    await find(edit('lib/a.ts'), 'edit src/** allow'),
    'The rule `edit src/**` allows this in `src`, and this file is in `lib`.',
  );
  const two = { folders: { workspace: ['/w', '/v'], adHoc: [], cwd: '/w' } };
  assert.equal(
    await find(edit('/v/b/a.ts'), 'edit /v/a/** allow', two),
    'The rule `edit /v/a/**` allows this in `a`, and this file is in `b`.',
  );
  assert.equal(
    await find(edit('/v/a.ts'), 'edit /w/a/** allow', two),
    'The rule `edit /w/a/**` allows this in `a`, and this file is in `.`.',
  );
  assert.equal(
    await find(edit('a.ts'), 'edit /wide/** allow', two),
    'The rule `edit /wide/**` allows this in `/wide`, and this file is in `.`.',
  );
  assert.equal(
    await find(edit('src/a.js'), 'edit src/**/*.ts allow'),
    'The rule `edit src/**/*.ts` allows `*.ts` here, and this file ends in `.js`.',
  );
  assert.equal(
    await find(fetch('https://www.example.com/a'), 'web_fetch api.example.com allow'),
    'The rule `web_fetch api.example.com` allows another host than `www.example.com`.',
  );
  assert.equal(
    await find(fetch('https://example.com:8080/'), 'web_fetch example.com allow'),
    'The rule `web_fetch example.com` allows another port of `example.com`.',
  );
  assert.equal(
    await find(fetch('https://other.org/'), 'web_fetch api.example.com allow'),
    undefined,
  );
  assert.equal(await find(edit('.git/config'), 'edit src/** allow'), undefined);
});

const DECLARED: readonly (readonly [call: object, rules: readonly string[], string | undefined])[] =
  [
    [
      { env: 'prod', count: 2 },
      ['ws_deploy {"env":"staging","count":2} allow'],
      'The rule `ws_deploy {"env":"staging","count":2}` allows it with `env` `staging`, and here it is `prod`.',
    ],
    [
      { env: 'prod', count: 2 },
      ['ws_deploy {"env":"prod","count":3} allow'],
      'The rule `ws_deploy {"env":"prod","count":3}` allows it with `count` `3`, and here it is `2`.',
    ],
    [
      { env: 'prod', force: true },
      ['ws_deploy {"env":"prod"} allow'],
      'The rule `ws_deploy {"env":"prod"}` allows it with no `force`.',
    ],
    [
      { env: 'prod' },
      ['ws_deploy {"env":"prod","dry":true} allow'],
      'The rule `ws_deploy {"env":"prod","dry":true}` allows it with `dry` `true`, and it is missing here.',
    ],
    [
      { query: 'select a from b' },
      ['ws_deploy {"query":"select a from c"} allow'],
      'The rule `ws_deploy {"query":"select a from c"}` allows it with `query` `select a from c`, and here it is `select a from b`.',
    ],
    [{ query: 'drop b' }, ['ws_deploy {"query":"select a from c"} allow'], undefined],
    [{ env: 'prod' }, ['ws_deploy {"env":"staging"} allow'], undefined],
    [{ env: 'prod', count: 2 }, ['ws_deploy {"env":"staging","count":3} allow'], undefined],
    [{ env: 'prod', count: 2 }, ['ws_other {"env":"staging","count":2} allow'], undefined],
    [{ env: 'prod', count: 2 }, ['ws_deploy {"env":"staging","count":2} deny'], undefined],
    // A deny of the user's overrules the near rule, so without the difference the call would not run either.
    [
      { env: 'prod', count: 2 },
      ['ws_deploy {"env":"staging","count":2} allow', 'ws_deploy {"env":"staging","count":2} deny'],
      undefined,
    ],
  ];

for (const [input, rules, expected] of DECLARED) {
  test(`declared ${JSON.stringify(input)} with ${rules.join()}: ${expected ?? 'nothing is near'}`, async () => {
    const own = {
      ...({ permission: 'ws_deploy', capability: 'shell.run', match: 'text' } as const),
      target: JSON.stringify(input),
    };
    const call = { tool: 'ws_deploy', input, subjects: [own] as const };
    const decision = await evaluate(call, policyOf(rulesOf(...rules)));
    assert.equal(decision.decision, 'ask');
    assert.equal(decision.near?.()?.reason, expected);
  });
}

test('a call that is allowed or denied has no near rule', async () => {
  const rules = rulesOf('bash frob a allow', 'bash frob b deny');
  for (const line of ['frob a', 'frob b']) {
    assert.equal((await run(line, rules)).near, undefined);
  }
});

const WORD = fc.constantFrom('frob', 'push', 'a', 'src', 'lib', '-f', '--all', '-o');
const LINE = fc
  .array(WORD, { minLength: 1, maxLength: 5 })
  .map((words) => ['tool', ...words].join(' '));
const PATTERN = fc
  .array(fc.oneof(WORD, fc.constant('*')), { minLength: 1, maxLength: 4 })
  .map((words) => ['tool', ...words].join(' '));
const RULES = fc.array(
  fc.record({
    permission: fc.constantFrom('bash', 'shell.run'),
    pattern: PATTERN,
    action: fc.constantFrom('allow', 'allow', 'ask', 'deny'),
    source: fc.constantFrom('project', 'session'),
  }),
  { maxLength: 8 },
) as fc.Arbitrary<readonly Rule[]>;

/** The line without what the near rule names. */
function repair(line: string, { difference }: NearRule): string {
  const words = line.split(' ');
  if (difference.kind === 'extra')
    return words.toSpliced(difference.at, difference.words.length).join(' ');
  assert.equal(difference.kind, 'other');
  const { at, word, instead } = Object(difference);
  assert.equal(words[at], word);
  return words.with(at, instead).join(' ');
}

test('a near rule exists, does not match, and allows the call without the difference', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(LINE, RULES, async (line, rules) => {
      const decision = await run(line, rules);
      const near = decision.near?.();
      if (near === undefined) return;
      assert.equal(decision.decision, 'ask');
      assert.ok(rules.includes(near.rule));
      assert.equal(near.rule.action, 'allow');
      assert.ok(
        decision.subjects.every(({ rule }) => rule !== near.rule),
        'it matches already',
      );
      if (near.difference.kind === 'unnamed') return;
      found += 1;
      const without = await run(repair(line, near), rules);
      assert.equal(without.decision, 'allow');
      assert.equal(without.rule?.action, 'allow');
    }),
    { numRuns: 3_000, seed: 11 },
  );
  assert.ok(found > 50, `only ${found} near rules were found`);
});

test('thousands of rules are looked at within bounds', async () => {
  const rules = Array.from({ length: 10_000 }, (_, at) => `bash frob x${at} allow`);
  const decision = await run('frob y', rulesOf(...rules));
  assert.match(decision.near?.()?.reason ?? '', /has `x9999` where this command has `y`/);
});
