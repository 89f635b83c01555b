import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { analyzeCmd } from '../../../../../src/permissions/shell/windows/cmd.ts';
import { evaluateBash, plantWorkspace } from '../../ask.ts';

const WORKSPACE = plantWorkspace(['src/a', 'secret.txt', 'held/secret.txt']);

/** Checks a line of PowerShell beside `bash * allow`. */
function check(line: string, rules: readonly string[], expected: string): void {
  test(`pwsh: ${line} is ${expected} under ${rules.join(', ')}`, async () => {
    const { decision, reason } = await evaluateBash(line, ['bash * allow', ...rules], {
      shell: 'pwsh',
      folders: { workspace: [WORKSPACE], adHoc: [], cwd: WORKSPACE },
    });
    assert.equal(decision, expected, reason);
  });
}

const READ = ['fs.read **/secret.txt deny'];
const WRITE = ['fs.write **/secret.txt deny'];
check('Get-Content a', READ, 'allow');
check('Get-Content secret.txt', READ, 'deny');
check('Get-Content a secret.txt', READ, 'deny');
check('Get-Content -Path secret.txt', READ, 'deny');
check('Get-Content -Path:secret.txt', READ, 'deny');
check('Get-Content -Unknown secret.txt', READ, 'deny');
check('Get-Content -Unknown:secret.txt', READ, 'deny');
check('Get-Content -LiteralPath a secret.txt', READ, 'deny');
check('Get-Content -Tail 5 secret.txt', READ, 'deny');
check('Get-Content -Tail 5 a', READ, 'allow');
check('Get-Content -Encoding secret.txt a', READ, 'allow');
check('Get-ChildItem -Recurse src', READ, 'allow');
// A parameter may be cut short. One that may be a switch or have a value leaves open what each value is.
check('Get-Content -Enc secret.txt a', READ, 'allow');
check('Get-Content -w secret.txt', READ, 'deny');
check('Copy-Item -Verb a secret.txt', READ, 'allow');
check('Copy-Item -w x secret.txt new', READ, 'deny');
check('Copy-Item -Unknown x secret.txt new', READ, 'deny');
check('Copy-Item a secret.txt', READ, 'allow');
// The places of words mean nothing in a line that can't be parsed.
check('Copy-Item a secret.txt )', READ, 'deny');
check('if ($true { Get-Content a,secret.txt', READ, 'deny');
check('Select-String -Path held/secret.txt x', READ, 'deny');
check('Select-String x held/secret.txt', READ, 'deny');
check('Select-String secret.txt a', READ, 'allow');
check('Remove-Item -Recurse held', WRITE, 'deny');
check('Remove-Item -Recurse src', WRITE, 'allow');
check('Remove-Item a', WRITE, 'allow');
check('Copy-Item a secret.txt', WRITE, 'deny');
check('Copy-Item -Path a -Destination secret.txt', WRITE, 'deny');
check('Copy-Item -Path a -Dest secret.txt', WRITE, 'deny');
check('Move-Item secret.txt a', WRITE, 'deny');
check('Rename-Item secret.txt a', WRITE, 'deny');
// What arrives in a folder, or moves with one, has names that the line doesn't tell.
check('Copy-Item -Recurse held new', WRITE, 'ask');
check('Copy-Item -Destination new -Recurse held', WRITE, 'ask');
check('Copy-Item held/secret.txt new', WRITE, 'ask');
check('Copy-Item -Recurse held new', ['fs.write src/** deny'], 'allow');
check('Copy-Item -Recurse held src', ['fs.write src/x deny'], 'ask');
check('Move-Item held new', WRITE, 'ask');
check('Rename-Item held new', WRITE, 'ask');
check('Expand-Archive a.zip new', WRITE, 'ask');
check('Set-Content a secret.txt', WRITE, 'ask');

test('a cmdlet that reads a folder with what lies below asks where a link leads out', async () => {
  const root = plantWorkspace(['held/a', 'src/a', '../outside/x']);
  symlinkSync('../../outside', path.join(root, 'held/out'));
  const rules = ['bash * allow', 'fs.write ** allow', 'fs.read {workspace}/** allow'];
  const folders = { workspace: [root], adHoc: [], cwd: root };
  for (const cmdlet of ['Get-Content -Recurse', 'Select-String -Recurse x']) {
    const decide = async (folder: string) =>
      (await evaluateBash(`${cmdlet} ${folder}`, rules, { shell: 'pwsh', folders })).decision;
    assert.equal(await decide('held'), 'ask', cmdlet);
    assert.equal(await decide('src'), 'allow', cmdlet);
  }
});

test('cmd.exe joins lines behind a caret, and runs what another sign separates', () => {
  const commands = (line: string) =>
    analyzeCmd(line, 'C:/w', 'win32').acts.flatMap((act) =>
      act.kind === 'command' ? [act.words.map(({ value }) => value).join(' ')] : [],
    );
  assert.deepEqual(commands('echo a^\r\nb'), ['echo ab']);
  assert.deepEqual(commands('echo a^\nb'), ['echo ab']);
  assert.deepEqual(commands('echo a\r\nver'), ['echo a', 'ver']);
  assert.deepEqual(commands('echo a^&b'), ['echo a&b']);
  assert.deepEqual(commands('echo a&ver'), ['echo a', 'ver']);
  assert.deepEqual(commands('echo "a&b"'), ['echo a&b']);
});
