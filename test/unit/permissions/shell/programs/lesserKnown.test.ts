import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, policyOf, rulesOf } from '../../ask.ts';

async function decide(line: string, ...rules: readonly string[]) {
  const policy = policyOf([...DEFAULT_RULES, ...rulesOf(...rules)]);
  return (await evaluate(bashCall(line), policy)).decision;
}

/** Programs without a row. */
const UNKNOWN = ['comby', 'trivy', 'cloc', 'tokei', 'scc'] as const;
/** They start other programs. */
const STARTERS = ['hyperfine', 'watchexec', 'entr'] as const;

for (const name of [...UNKNOWN, ...STARTERS]) {
  test(`the shipped rules ask about ${name}`, async () => {
    for (const line of [name, `${name} .`, `${name} --version`, `${name} ls`])
      assert.equal(await decide(line), 'ask', line);
  });

  test(`what ${name} may start or write is asked about and denied in spite of a wildcard`, async () => {
    const wide = [`bash ${name} * allow`, 'fs.write ** allow'];
    assert.equal((await decide(`${name} rm x`, ...wide, 'bash rm deny')) === 'allow', false);
    for (const line of [
      `${name} -o .vscode/settings.json x`,
      `${name} --out=.vscode/settings.json x`,
    ])
      assert.equal(await decide(line, ...wide), 'ask', line);
  });
}

for (const [line, rules] of [
  ['wget --warc-tempdir=/tmp/x https://a.example', ['fs.write /tmp/** deny']],
  ['wget --warc-tempdir /tmp/x https://a.example', ['fs.write /tmp/** deny']],
  ['wget --warc-dedup=.env https://a.example', ['fs.read .env deny']],
  ['wget --crl-file=.env https://a.example', ['fs.read .env deny']],
  ['wget --crl-file .env https://a.example', ['fs.read .env deny']],
  ['wget --ca-directory=secrets https://a.example', ['fs.read secrets/** deny']],
  ['wget --pinnedpubkey=.env https://a.example', ['fs.read .env deny']],
] as const)
  test(`a deny of the file holds for ${line}`, async () => {
    assert.equal(await decide(line, 'bash wget * allow', 'net.fetch ** allow', ...rules), 'deny');
  });

test('git repack writes elsewhere only if the rule spells it', async () => {
  const wide = ['bash git * allow', 'fs.write ** allow'];
  assert.equal(await decide('git repack --filter=blob:none --filter-to=/tmp/x', ...wide), 'ask');
  assert.equal(await decide('git repack --filter-t=/tmp/x', ...wide), 'ask');
});

test('ss looks up the host that it is given', async () => {
  const rules = ['bash ss * allow', 'net.fetch evil.example deny'];
  assert.equal((await decide('ss dst evil.example', ...rules)) === 'allow', false);
  assert.equal(await decide('ss -tln', ...rules), 'allow');
});

for (const name of [
  ...['cpp-12', 'cpp', 'gcc-12', 'c99-gcc', 'c89-gcc', 'x86_64-linux-gnu-gcc-12'],
  ...['x86_64-linux-gnu-cpp-12', 'aarch64-linux-gnu-gfortran', 'x86_64-linux-gnu-strip'],
])
  test(`${name} is read as the program of that name without version and processor`, async () => {
    assert.equal(await decide(`${name} @args`), 'ask');
    assert.equal(await decide(`${name} @args`, `bash ${name} * allow`), 'ask');
    assert.equal(await decide(`${name} @args`, `bash ${name} @args allow`), 'allow');
  });
