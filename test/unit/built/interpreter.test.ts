import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { temporary } from '../host/harness.ts';
import { gatehouse, place } from './program.ts';

const RULES = '[{"permission": "*", "pattern": "*", "action": "allow"}]';

test('the interpreter that env finds is covered, also when another one appears before it on PATH', async (t) => {
  const cwd = await temporary(t);
  await place(cwd, {
    'w/tools.json': { tools: [{ name: 'x', command: ['./tools/bin/x'] }] },
    'w/tools/bin/x': '#!/usr/bin/env greeter\n',
    'late/greeter': `#!/bin/sh\necho '"late"'\n`,
    'early/other': '',
    'data/settings.json': {},
  });
  const folders = ['early', 'late'].map((name) => path.join(cwd, name));
  const PATH = [...folders, process.env['PATH']].join(path.delimiter);
  const options = { cwd, env: { PATH, GATEHOUSE_DATA: path.join(cwd, 'data') } };
  const run = () =>
    gatehouse(['call', 'workspace_x', '{}', '--workspace', 'w', '--rules', RULES], options);
  assert.equal((await gatehouse(['accept', '--workspace', 'w', 'w'], options)).code, 0);
  assert.match((await run()).stdout, /"data":"late"/);
  await place(cwd, { 'early/greeter': `#!/bin/sh\necho '"early"'\n` });
  assert.match((await run()).stdout, /You have not accepted the current version/);
});

test('a relative folder on PATH finds no program for a declared tool', async (t) => {
  const cwd = await temporary(t);
  await place(cwd, {
    'w/tools.json': { tools: [{ name: 'x', command: ['./tools/bin/x'] }] },
    'w/tools/bin/x': '#!/usr/bin/env greeter\n',
    'late/greeter': `#!/bin/sh\necho '"late"'\n`,
    'data/settings.json': {},
  });
  await writeFile(path.join(cwd, 'w/greeter'), `#!/bin/sh\necho '"workspace"'\n`, { mode: 0o755 });
  const PATH = ['.', '', path.join(cwd, 'late'), process.env['PATH']].join(path.delimiter);
  const options = {
    cwd: path.join(cwd, 'w'),
    env: { PATH, GATEHOUSE_DATA: path.join(cwd, 'data') },
  };
  assert.equal((await gatehouse(['accept', '.'], options)).code, 0);
  const words = ['call', 'workspace_x', '{}', '--workspace', '.', '--rules', RULES];
  assert.match((await gatehouse(words, options)).stdout, /"data":"late"/);
});
