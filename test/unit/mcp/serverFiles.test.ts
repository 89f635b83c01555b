import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { findServerFiles } from '../../../src/mcp/connect/serverFiles.ts';
import { calls, prompt, temporary } from '../host/harness.ts';
import { openHost, startSession, stdio } from './servers.ts';
import { HOSTILE } from './source.ts';

function write(file: string, text = ''): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

test('CS-62 a confined server reads the package of its script, and no more', async (t) => {
  const root = realpathSync(await temporary(t));
  const home = path.join(root, 'home');
  write(path.join(home, 'package.json'));
  write(path.join(home, 'dev/srv/package.json'));
  const own = write(path.join(home, 'dev/srv/dist/index.js'));
  const loose = write(path.join(home, 'loose/index.js'));
  const installed = write(path.join(root, 'lib/node_modules/@a/b/dist/index.js'));
  const linked = path.join(root, 'bin/b');
  mkdirSync(path.dirname(linked));
  symlinkSync(installed, linked);
  const data = path.join(home, 'dev');
  const find = (...argv: readonly string[]) => findServerFiles(argv, home);
  assert.deepEqual(find('node', own), [own, path.join(home, 'dev/srv')]);
  assert.deepEqual(find('node', loose), [loose], 'the home folder is no package');
  const modules = path.join(root, 'lib/node_modules');
  assert.deepEqual(find('node', installed), [installed, modules]);
  assert.deepEqual(find(linked), [linked, installed, modules]);
  assert.deepEqual(find('node', own, data).slice(2), [data], 'a folder that is named');
  assert.deepEqual(find('node', 'dist/index.js', path.join(root, 'absent')), []);
  assert.deepEqual(findServerFiles(['node', own], home, [path.join(home, 'dev/srv/work')]), [own]);
});

test('CS-62 a confined server of a package of its own starts, with modules beside its script', async (t) => {
  const folder = path.join(await temporary(t), 'srv');
  write(path.join(folder, 'package.json'), '{"type":"module"}');
  write(path.join(folder, 'lib/server.js'), readFileSync(HOSTILE, 'utf8'));
  const file = write(path.join(folder, 'dist/index.js'), "import '../lib/server.js';\n");
  const call = { tool: 'own_act', input: { a: 1 } };
  const host = await openHost(t, { script: [{ calls: [call] }, { text: 'Done.' }] });
  await prompt(host, await startSession(host, [stdio('own', file, 'plain')]));
  const done = calls(host).find(({ status }) => status === 'completed');
  assert.match(JSON.stringify(done?.rawOutput), /act/);
});
