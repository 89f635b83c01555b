import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { call, oneTool, openBed } from './builtEntry.ts';

/** A repository with a manifest in a folder of it. */
function openRepository() {
  const files = Object.entries(oneTool()).map(([name, text]) => [`sub/${name}`, text] as const);
  const bed = openBed(Object.fromEntries(files));
  mkdirSync(path.join(bed.workspace, '.git'));
  return { ...bed, sub: { ...bed, workspace: path.join(bed.workspace, 'sub') } };
}

test('--workspace names the folder that an editor opens, and the ids are those of its host', () => {
  using bed = openRepository();
  const { gatehouse, sub } = bed;
  assert.match(gatehouse('accept', 'sub').out, /^ {2}sub_x: /m);
  assert.deepEqual(call(bed, 'sub_x', {}).data, {});
  for (const option of [['--workspace', 'sub'], ['--workspace=sub']]) {
    assert.match(gatehouse('accept', ...option, 'sub').out, /^ {2}workspace_x: /m);
    assert.equal(gatehouse('check', ...option, 'sub').code, 0);
    assert.equal(gatehouse('tools', 'export', '--openai', ...option, 'sub').code, 0);
  }
  assert.deepEqual(call(sub, 'workspace_x', {}).data, {});
});

test('--workspace without a folder is misuse', () => {
  using bed = openRepository();
  for (const words of [['check'], ['accept'], ['tools', 'export', '--openai']]) {
    const { code, err } = bed.gatehouse(...words, '--workspace', 'absent', 'sub');
    assert.deepEqual([code, /--workspace: no folder "absent"/.test(err)], [2, true], err);
  }
});
