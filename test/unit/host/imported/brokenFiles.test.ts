import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { gatehouse, NAMES, plant, write } from './scene.ts';

const MAIN = path.resolve(import.meta.dirname, '../../../../src/host/cli/main.ts');
const USER = 'home/.config/gatehouse/settings.json';

/** Runs `gatehouse rules import --write` in a process of its own, with code that is loaded before it. */
async function importIn(base: string, before: string): Promise<unknown> {
  const preload = `data:text/javascript,${encodeURIComponent(before)}`;
  const args = ['--import', preload, MAIN, 'rules', 'import', '--write'];
  const child = spawn(process.execPath, args, {
    cwd: path.join(base, 'workspace'),
    env: {
      PATH: process.env['PATH'],
      HOME: path.join(base, 'home'),
      XDG_CONFIG_HOME: path.join(base, 'home/.config'),
      GATEHOUSE_DATA: path.join(base, 'data'),
    },
    stdio: 'ignore',
    timeout: 60_000,
  });
  const [, signal] = await once(child, 'close');
  return signal;
}

/** The file of each product that has denies. */
const PRODUCTS = {
  'Claude Code': NAMES.claude,
  'VS Code': NAMES.editor,
  'Copilot CLI': NAMES.copilot,
  OpenCode: NAMES.openCode,
  Cline: NAMES.cline,
} as const;

/** Puts something that can't be read there. */
const BROKEN: Readonly<Record<string, (file: string) => void>> = {
  malformed: (file) => writeFileSync(file, '{ "permissions": { "deny": [ "Bash(rm:*)" '),
  'of 60 MB': (file) => {
    writeFileSync(file, '{}');
    truncateSync(file, 60 * 1024 * 1024);
  },
  'a link to itself': (file) => symlinkSync(path.basename(file), file),
  'not UTF-8': (file) => writeFileSync(file, Buffer.from('{ "a": "\xe9" }', 'latin1')),
  'UTF-16': (file) => writeFileSync(file, Buffer.from('\ufeff{}', 'utf16le')),
  'nested too deeply': (file) =>
    writeFileSync(file, `{"a":${'['.repeat(60_000)}${']'.repeat(60_000)}}`),
  'a folder': (file) => mkdirSync(file),
  'a list': (file) => writeFileSync(file, '[]'),
};

for (const [what, make] of Object.entries(BROKEN)) {
  test(`settings that are ${what} are named with the reason, and the rest is imported`, async () => {
    const base = plant({
      [NAMES.claudeWorkspace]: { permissions: { allow: ['Bash(make:*)'], deny: ['Bash(rm:*)'] } },
    });
    const files = Object.values(PRODUCTS).map((name) => path.join(base, name));
    for (const file of files) {
      mkdirSync(path.dirname(file), { recursive: true });
      make(file);
    }
    const before = files.map((file) => lstatSync(file).mtimeMs);
    const { code, out, err } = await gatehouse(base, 'import', '--write');
    assert.deepEqual([code, err], [1, '']);
    for (const file of files) {
      const at = out.split('\n').findIndex((line) => line.includes(file.slice(base.length + 5)));
      assert.ok(at >= 0, `${file} is not named in ${out}`);
    }
    assert.equal(out.match(/It (?:isn't valid JSON|can't be read|doesn't contain)/g)?.length, 5);
    assert.doesNotMatch(out, /\n\s+at /, 'a trace of the stack');
    const own = readFileSync(path.join(base, 'workspace/.vscode/settings.json'), 'utf8');
    assert.match(own, /"deny"/);
    assert.doesNotMatch(own, /"allow"/, 'a file of the same product may hold a deny');
    assert.deepEqual(
      files.map((file) => lstatSync(file).mtimeMs),
      before,
    );
  });
}

/** Code that kills the process when it writes: in the middle of the text, or behind it. */
const KILL = (half: boolean) => `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { writeFileSync } = fs;
fs.writeFileSync = (file, text, options) => {
  writeFileSync(file, ${half ? 'text.slice(0, text.length / 2)' : 'text'}, options);
  process.kill(process.pid, 'SIGKILL');
};
syncBuiltinESMExports();
`;

for (const half of [true, false]) {
  const when = half ? 'in the middle of the write' : 'before the new file takes its name';
  test(`kill -9 ${when} leaves the old settings whole, and the next import saves the rules`, async () => {
    const base = plant({
      [NAMES.claude]: { permissions: { allow: ['Bash(npm test:*)'], deny: ['Read(.env)'] } },
    });
    const old = '{\n  // Mine.\n  "gatehouse.limits.turnSteps": 7,\n}\n';
    write(base, { [USER]: old });
    const file = path.join(base, USER);
    assert.equal(await importIn(base, KILL(half)), 'SIGKILL');
    assert.equal(readFileSync(file, 'utf8'), old);
    const [left, ...more] = readdirSync(path.dirname(file)).filter((name) => name.endsWith('.new'));
    assert.ok(left !== undefined && more.length === 0, 'it was killed where it should be');
    const { code, out } = await gatehouse(base, 'import', '--write');
    assert.deepEqual([code, /saved 3 to /.test(out)], [0, true]);
    const text = readFileSync(file, 'utf8');
    for (const part of ['// Mine.', '"gatehouse.limits.turnSteps": 7', 'npm test *', '**/.env'])
      assert.ok(text.includes(part), part);
  });
}

test('own settings with a syntax error are not changed, and the line is named', async () => {
  const base = plant({ [NAMES.claude]: { permissions: { allow: ['Bash(npm test:*)'] } } });
  const old = '{\n  "gatehouse.permissions": [\n    { "permission": "bash" \n  ,, ]\n}\n';
  write(base, { [USER]: old });
  const { code, err } = await gatehouse(base, 'import', '--write');
  assert.equal(code, 1);
  assert.match(err, /settings\.json was not changed: Line 4 is not valid JSON/);
  assert.equal(readFileSync(path.join(base, USER), 'utf8'), old);
  assert.equal(existsSync(path.join(base, 'data/state/accepted.json')), false);
});
