import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { temporary } from '../harness.ts';
import { ROOT } from '../stdioHost.ts';

test("VC-18, C-58: a call without a session passes the user's watchdog", async (t) => {
  const data = await temporary(t);
  const answer = JSON.stringify({ verdict: 'deny', reason: 'not on a Saturday' });
  const settings = {
    'gatehouse.watchdog.command': ['sh', '-c', `cat > given.json; echo '${answer}'`],
    'gatehouse.limits.watchdogMs': 60_000,
  };
  const workspace = path.join(data, 'w');
  await mkdir(workspace);
  await writeFile(path.join(data, 'settings.json'), JSON.stringify(settings));
  const rules = JSON.stringify([{ permission: '*', pattern: '**', action: 'allow' }]);
  const input = JSON.stringify({ command: 'echo ran' });
  const words = ['call', 'bash', input, '--workspace', workspace, '--rules', rules];
  const env = {
    PATH: process.env['PATH'],
    HOME: data,
    GATEHOUSE_DATA: data,
    GATEHOUSE_CONFIG: path.join(data, 'settings.json'),
  };
  const main = path.join(ROOT, 'dist/host/main.mjs');
  const stdout = await new Promise<string>((resolve) => {
    execFile(process.execPath, [main, ...words], { env }, (_error, text) => resolve(text));
  });
  assert.match(JSON.parse(stdout).error_text, /not on a Saturday/);
  const seen = JSON.parse(await readFile(path.join(workspace, 'given.json'), 'utf8'));
  assert.deepEqual([seen.tool, seen.manifest.name], ['bash', 'gatehouse']);
});
