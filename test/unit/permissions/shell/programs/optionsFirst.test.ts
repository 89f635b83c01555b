import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import {
  DEFAULT_RULES,
  readOnlyCommands,
} from '../../../../../src/permissions/defaults/defaults.ts';
import { PROGRAMS } from '../../../../../src/permissions/shell/programs/tables/programTable.ts';
import { bashCall, evaluate, policyOf } from '../../ask.ts';

const decide = async (line: string) =>
  (await evaluate(bashCall(line), policyOf(DEFAULT_RULES))).decision;

// `xxd` everywhere, and `uniq` of macOS, take an option behind the first file for the file to write.
for (const line of ['xxd src/f -p', 'xxd src/f -l5', 'xxd -p src/f -u', 'uniq src/f -c'])
  test(`${line} asks, because it may write a file with the option's name`, async () => {
    assert.equal(await decide(line), 'ask');
  });

for (const line of ["sed 'w out' -e p src/f", "sed 'e id' -n -e p src/f"])
  test(`${line} asks, because the sed of macOS runs the first word`, async () => {
    assert.equal(await decide(line), 'ask');
  });

for (const line of ['xxd -p src/f', 'xxd -l 5 src/f', 'uniq -c src/f', 'sed -n -e p src/f'])
  test(`${line} is allowed`, async () => {
    assert.equal(await decide(line), 'allow');
  });

test('no option of a shipped row behind its operand writes a file, if it is allowed', async (t) => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'options-first-')));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(path.join(folder, 'a.txt'), 'a\n');
  const folders = { workspace: [folder], adHoc: [], cwd: folder };
  const writing = new Set(['xxd', 'uniq', 'sort', 'sed', 'tee', 'comm', 'cut', 'tr', 'column']);
  for (const [program, flags] of readOnlyCommands().filter(([pattern]) => writing.has(pattern))) {
    for (const flag of flags.split(/\s+/).filter((each) => each.startsWith('-'))) {
      const option = flag.replace(/[:=]$/, flag.endsWith(':') ? '1' : '=1');
      const line = `${program} a.txt ${option}`;
      const { decision } = await evaluate(bashCall(line), policyOf(DEFAULT_RULES, { folders }));
      if (decision !== 'allow') continue;
      // As the programs of other systems do, which read no option behind an operand.
      for (const env of [{}, { POSIXLY_CORRECT: '1' }]) runQuietly(line, folder, env);
      assert.deepEqual(readdirSync(folder), ['a.txt'], line);
    }
  }
});

function runQuietly(line: string, cwd: string, more: Readonly<Record<string, string>>): void {
  const env = { PATH: process.env['PATH'] ?? '', ...more };
  try {
    execFileSync('bash', ['-c', line], { cwd, env, stdio: 'ignore' });
  } catch {
    // It may refuse the option, or not be installed.
  }
}

test('each program that writes its second operand says where its options end', () => {
  for (const [name, { operands, spelledFrom, optionsFirst }] of Object.entries(PROGRAMS))
    if (operands === 'reads' && spelledFrom === 1 && !name.includes(' '))
      assert.equal(optionsFirst, true, name);
});
