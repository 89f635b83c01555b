import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { expandLists } from '../../../../../src/permissions/patterns/expandLists.ts';
import { mayBearName } from '../../../../../src/permissions/patterns/nameOverlap.ts';
import { bashCall, evaluate, policyOf, rulesOf } from '../../ask.ts';

/** Every line is decided so; the shipped rules alone, or all allowed but what the rule is about. */
function check(
  title: string,
  rule: string | undefined,
  lines: readonly string[],
  expected: 'allow' | 'ask' | 'deny',
): void {
  test(`${rule ?? 'shipped rules'}: ${title}`, async () => {
    const rules = rule === undefined ? DEFAULT_RULES : rulesOf('bash * allow', rule);
    const wrong: string[] = [];
    for (const line of lines) {
      const { decision } = await evaluate(bashCall(line), policyOf(rules));
      if (decision !== expected) wrong.push(`${line} is ${decision}`);
    }
    assert.deepEqual(wrong, []);
  });
}

// ripgrep 15 prints what `.env` holds for each of these, hidden and ignored as it is.
const LETS_IN = [
  'rg x -g .env',
  "rg x -g '*.env'",
  "rg x -g '.e*'",
  "rg x -g '*'",
  "rg x -g 'src/**'",
  "rg x -g '!a' -g .env",
  'rg x -g.env',
  'rg -ng.env x',
  'rg --glob=.env x',
  'rg --glob .env x',
  'rg --iglob .ENV x',
  'rg x -t all',
  'rg x -tsh',
  'rg x --type sh',
  'rg -e -- -g .env',
];
check('a pattern of ripgrep lets hidden files in', undefined, LETS_IN, 'ask');
check('a pattern of ripgrep lets hidden files in', 'fs.read **/.env deny', LETS_IN, 'ask');
check(
  'what the line calls a type may be any name',
  'fs.read **/.env deny',
  ["rg x --type-add 'e:*.e' -te", "rg x --type-add='e:*' -t e"],
  'ask',
);
check(
  'other patterns of ripgrep let none in',
  undefined,
  [
    "rg x -g '*.ts'",
    "rg x -g '*.{ts,tsx}' src",
    "rg x -g '!*.env'",
    'rg x -t ts',
    'rg -tpy x',
    "rg --files -g '*.rs'",
    'rg -nU x src',
  ],
  'allow',
);
check(
  'grep names what it includes',
  undefined,
  [
    "grep -r '' --include=.env src",
    "grep -r x --include='*.key' .",
    'grep -r --include .env x src',
  ],
  'ask',
);
check(
  'grep leaves out what it does not include',
  undefined,
  ["grep -rn --include='*.py' 'import os' .", "grep -r x . --include='*.ts' --include='*.tsx'"],
  'allow',
);
check(
  'what it includes is denied',
  'fs.read **/.env deny',
  [
    'grep -r --include=.env x .',
    'grep -r --include=.env x src',
    "grep -r --include='*.py' --include=.env x .",
    "grep -r --include='.*' x .",
  ],
  'deny',
);
check(
  'a word that may be no filter leaves nothing out',
  'fs.read **/.env deny',
  ['grep -r -e --include=a x .', 'grep -r x . -- --include=a', 'grep -rf --include=a .'],
  'deny',
);
check(
  'a folder is every name in it',
  'fs.read secrets/** deny',
  ["grep -r --include='*.py' x ."],
  'deny',
);
check(
  'a name without a glob may be a folder',
  'fs.read conf.d deny',
  ["grep -r --include='*.py' x ."],
  'deny',
);
check(
  'compose prints what it fills in from .env',
  'fs.read .env deny',
  ['docker compose config', 'docker compose -f a.yml config', 'docker-compose config'],
  'deny',
);
check(
  'and not when it prints names',
  'fs.read .env deny',
  ['docker compose config --services', 'docker compose ps'],
  'allow',
);

test('two patterns for names meet where one name has both their ends', () => {
  for (const [pattern, only, expected] of [
    ['**/.env', '*.env', true],
    ['**/.env', '.e*', true],
    ['**/.env', '*.ts', false],
    ['**/.env.*', '.env.l*', true],
    ['**/.env.*', '*.ts', false],
    ['**/*.pem', '*.pem', true],
    ['**/*.{pem,key}', '*.key', true],
    ['**/*.{pem,key}', '*.ts', false],
    ['**/*.PEM', 'a.pem', true],
    ['**/id_rsa', 'id_*', true],
    ['**/id_rsa', '*.ts', false],
    ['secrets/**', '*.ts', true],
    ['secrets', '*.ts', true],
    ['src/locked.ts', '*.ts', true],
    ['src/locked.ts', '*.js', true],
    ['conf.d', '*.py', true],
    ['**/[a-c].env', '*.env', true],
  ] as const)
    assert.equal(mayBearName(pattern, only), expected, `${pattern} ${only}`);
});

test('lists of a glob are told apart up to a limit', () => {
  assert.deepEqual(expandLists('*.{ts,tsx}'), ['*.ts', '*.tsx']);
  assert.deepEqual(expandLists('{a,b}.{c,d}'), ['a.c', 'a.d', 'b.c', 'b.d']);
  assert.deepEqual(expandLists('a'), ['a']);
  assert.deepEqual(expandLists(`{${'a,'.repeat(40)}}`), ['*']);
});

check(
  'only grep searches nothing but what --include names',
  'fs.read **/.env deny',
  [
    "cp -r --include='*.md' src out",
    "rsync -a --include='*.md' src out",
    "tar cf a.tar --include='*.md' src",
    "zip -r a.zip src --include='*.md'",
  ],
  'deny',
);
