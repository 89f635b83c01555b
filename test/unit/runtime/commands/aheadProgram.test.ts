import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { startAhead } from '../../../../src/runtime/commands/aheadProgram.ts';
import { until } from '../../../workbench/processes.ts';

test('a program that is ended before it is used has ended with what it started outside of its group', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ahead-'));
  const at = (name: string) => path.join(folder, name);
  // Waits until it is told, as one does that is killed during a long system call.
  const inner = `echo >${at('began')}; until [ -e ${at('go')} ]; do sleep 0.01; done; echo >${at('late')}`;
  const program = startAhead(
    {
      argv: ['bash', '-c', `setsid bash -c '${inner}' & wait`],
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '' },
    },
    [],
  );
  await until('the start', () => existsSync(at('began')));
  let isOver = false;
  const ended = program.end().then(() => {
    isOver = true;
  });
  await until('the end of its leader', () => !program.isWaiting());
  assert.equal(isOver, false);
  writeFileSync(at('go'), '');
  await ended;
  assert.ok(existsSync(at('late')));
  rmSync(folder, { recursive: true });
});
