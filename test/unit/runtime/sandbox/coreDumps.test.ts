import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { CORE_PATTERN, SETUP } from '../../../../src/runtime/sandbox/linux/scripts.ts';
import { openSandboxBed } from './bed.ts';

const LIMIT = /^Max core file size +(\d+) +(\d+)/m;

test('where a program of the system takes core dumps, the sandbox begins with the one limit that starts none', async () => {
  await using bed = await openSandboxBed();
  const file = path.join(bed.base, 'core_pattern');
  const read = (pattern: string) => {
    writeFileSync(file, `${pattern}\n`);
    const script = SETUP.replace(CORE_PATTERN, file);
    const words = ['', '5', 'mount', '0', 'cat', '/proc/self/limits'];
    const { stdout } = spawnSync('bash', ['-c', script, 'bash', ...words], {
      stdio: ['ignore', 'pipe', 'inherit', 'pipe', 'pipe', 'pipe'],
    });
    return LIMIT.exec(stdout.toString())?.slice(1);
  };
  assert.deepEqual(read('|/usr/lib/systemd/systemd-coredump %P'), ['1', '1']);
  assert.deepEqual(read('core'), ['0', '0']);
});

test('no command in the sandbox changes the limit of core dumps, and one that tries is not told to have failed', async () => {
  await using bed = await openSandboxBed();
  const held = await bed.hold();
  const line = `perl -e '
    my $new = pack("QQ", 1 << 20, 1 << 20);
    print syscall(160, 4, $new), "\\n", syscall(302, 0, 4, $new, 0), "\\n";
    my $old = "x" x 16; syscall(302, 0, 4, 0, $old); print join(" ", unpack("QQ", $old)), "\\n"'
    ulimit -S -n 100 && ulimit -n; grep core /proc/self/limits`;
  const { output } = await bed.run(held.start({ masks: [] }), line);
  const [limit = ''] = LIMIT.exec(output)?.slice(1) ?? [];
  const expected = process.arch === 'x64' ? `0\n0\n${limit} ${limit}\n100\n` : '100\n';
  assert.ok(output.includes(expected), output);
  assert.ok(['0', '1'].includes(limit), output);
});
