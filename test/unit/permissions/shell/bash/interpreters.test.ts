import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { INTERPRETER_FILES, interpreterLine, PROGRAMS } from '../../../../fuzz/interpreters.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../../ask.ts';

const root = plantWorkspace(INTERPRETER_FILES);
for (const name of INTERPRETER_FILES) writeFileSync(path.join(root, name), '');
const policy = policyOf(rulesOf('bash * allow', 'fs.read ** allow', 'fs.write ** allow'), {
  folders: { workspace: [root], adHoc: [], cwd: root },
});

async function isAllowed(line: string): Promise<boolean> {
  return (await evaluate(bashCall(line), policy)).decision === 'allow';
}

/** Whether the interpreter ran its input. */
function runs(line: string): boolean {
  const ran = path.join(root, 'ran');
  spawnSync('bash', ['--norc', '-c', line], { cwd: root, stdio: 'ignore', timeout: 60_000 });
  const made = existsSync(ran);
  if (made) rmSync(ran);
  return made;
}

for (const program of PROGRAMS) {
  const isThere = spawnSync(program, ['-v'], { stdio: 'ignore' }).error === undefined;
  test(`${program} runs no input that the analysis does not see`, async () => {
    assert.ok(isThere, `${program} is not installed`);
    for (const line of fc.sample(interpreterLine(program), { numRuns: 60, seed: 20_261_123 }))
      if (await isAllowed(line)) assert.ok(!runs(line), line);
  });
}

for (const line of [
  'python3 -i own.py <<< x',
  'python3 -W ignore -i own.py <<< x',
  'python3 -i -c pass <<< x',
  'python3 -Bi -m this <<< x',
  'node -i -e 0 <<< x',
  'node --interactive own.cjs <<< x',
  'perl -d own.pl <<< x',
  'lua -i own.lua <<< x',
  'julia -i own.jl <<< x',
  'php -a <<< x',
  'ipython own.py -i <<< x',
])
  test(`an interpreter that goes on with its input asks: ${line}`, async () => {
    assert.ok(!(await isAllowed(line)));
  });

for (const line of ['python3 -Wignore own.py', 'python3 -B own.py', 'node --title=i own.cjs'])
  test(`a script of the line's own does not ask: ${line}`, async () => {
    assert.ok(await isAllowed(line));
  });
