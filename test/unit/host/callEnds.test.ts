import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { temporary } from './harness.ts';
import { marked, nameOf, poll, ROOT } from './stdioHost.ts';

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test(`${signal} ends \`gatehouse call\` with all that its command started`, async (t) => {
    const folder = await temporary(t);
    const rules = path.join(folder, 'rules.json');
    writeFileSync(rules, '[{"permission":"*","pattern":"*","action":"allow"}]');
    const name = `call-${signal}`;
    const command = `echo begun; sleep ${nameOf(name)} & sleep ${nameOf(name)}`;
    const main = path.join(ROOT, 'src/host/cli/main.ts');
    const words = [main, 'call', 'bash', '-', '--rules', rules];
    // The words of the command are on standard input, so that only the sleepers are found by them.
    const child = spawn(process.execPath, words, {
      cwd: folder,
      env: { PATH: process.env['PATH'], GATEHOUSE_DATA: path.join(folder, 'data') },
    });
    t.after(() => child.kill('SIGKILL'));
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const written = text(child.stdout);
    child.stdin.end(JSON.stringify({ command }));
    await poll(() => marked(name).length > 1, 'the command runs');
    child.kill(signal);
    assert.equal(await exit, 1);
    assert.deepEqual(marked(name), []);
    const { data } = JSON.parse(await written);
    assert.deepEqual([data.output, data.aborted], ['begun\n', true]);
  });
}
