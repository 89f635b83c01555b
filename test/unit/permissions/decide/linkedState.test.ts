import assert from 'node:assert/strict';
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { evaluateFileTool, plantWorkspace } from '../ask.ts';

const ALL = ['read ** allow', 'write ** allow', 'fs.read ** allow', 'fs.write ** allow'];

/** A workspace with hard links of a file of the host's state and of one of the session's sidecars. */
function openBed() {
  const workspace = plantWorkspace(['plain']);
  const state = path.join(path.dirname(workspace), 'state');
  const sidecars = path.join(state, 'sessions/own');
  mkdirSync(sidecars, { recursive: true });
  for (const [file, name] of [
    [path.join(state, 'gatehouse.db'), 'database'],
    [path.join(sidecars, 'out'), 'output'],
  ] as const) {
    writeFileSync(file, 'x');
    linkSync(file, path.join(workspace, name));
  }
  const folders = { workspace: [workspace], adHoc: [], cwd: workspace, state, sidecars };
  return { workspace, state, sidecars, folders };
}

test("another name of a file of the host's state is denied", async () => {
  const { folders, state, sidecars } = openBed();
  const decide = async (tool: string, file: string) =>
    (await evaluateFileTool(tool, file, ALL, { folders })).decision;
  for (const tool of ['read', 'write']) {
    assert.equal(await decide(tool, 'database'), 'deny', tool);
    assert.equal(await decide(tool, path.join(state, 'gatehouse.db')), 'deny', tool);
    assert.equal(await decide(tool, 'plain'), 'allow', tool);
  }
  assert.equal(await decide('read', path.join(sidecars, 'out')), 'allow');
  assert.equal(await decide('write', path.join(sidecars, 'out')), 'deny');
});
