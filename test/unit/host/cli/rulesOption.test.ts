import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { run } from '../../../../src/host/cli/commands.ts';
import { temporary } from '../harness.ts';

const RULES = '[{"permission": "glob", "pattern": "**", "action": "deny"}]';

/** Every command with the option (`commands.test.ts`), which allows `glob` without it. */
const WITH_RULES = {
  call: ['call', 'glob', '{"pattern": "*"}', '--workspace', '.'],
  explain: ['explain', '--tool', 'glob', '{"pattern": "*"}'],
} as const;

for (const [name, words] of Object.entries(WITH_RULES)) {
  test(`gatehouse ${name} takes --rules as JSON and as a file`, async (t) => {
    const folder = await temporary(t);
    await writeFile(path.join(folder, 'rules.json'), RULES);
    await writeFile(path.join(folder, '[rules.json'), `\ufeff${RULES}`);
    const without = await gatehouse(folder, ...words);
    assert.doesNotMatch(without.out, /deni|"deny"/, without.out + without.err);
    for (const value of [
      RULES,
      `\n ${RULES}`,
      'rules.json',
      path.join(folder, 'rules.json'),
      './[rules.json',
    ]) {
      const { out, err } = await gatehouse(folder, ...words, '--rules', value);
      assert.match(out, /denies|"deny"/, `${value}: ${out}${err}`);
    }
  });

  test(`gatehouse ${name} names the --rules that it can't read, and decides nothing`, async (t) => {
    const folder = await temporary(t);
    for (const [value, problem] of [
      ['[{', /--rules: /],
      ['missing.json', /missing\.json: /],
    ] as const) {
      const { code, out, err } = await gatehouse(folder, ...words, '--rules', value);
      assert.deepEqual([code, out], [2, '']);
      assert.match(err, problem);
    }
  });
}

async function gatehouse(cwd: string, ...args: readonly string[]) {
  const stdout = new PassThrough({ encoding: 'utf8' });
  const stderr = new PassThrough({ encoding: 'utf8' });
  const env = { GATEHOUSE_DATA: path.join(cwd, 'data'), PATH: process.env['PATH'] };
  const code = await run({ args, stdin: Readable.from([]), stdout, stderr, env, cwd });
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}
