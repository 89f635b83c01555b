import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { withLockFile } from '../../../../src/base/disk/lockFile.ts';
import { openAcceptances, ruleHash } from '../../../../src/host/config/acceptance.ts';
import { gatehouse, NAMES, plant, write } from './scene.ts';

const USER = 'home/.config/gatehouse/settings.json';
const OWN = 'workspace/.vscode/settings.json';

function plantRules(): string {
  return plant({
    [NAMES.claude]: { permissions: { allow: ['Bash(npm test:*)'], deny: ['Read(.env)'] } },
    [NAMES.claudeWorkspace]: { permissions: { allow: ['Bash(make:*)'] } },
  });
}

test('without --write the rules are shown and nothing is written', async () => {
  const base = plantRules();
  const { code, out, err } = await gatehouse(base, 'import');
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /Rules for the user settings \(3\)\n {2}deny {3}fs\.read {2}\*\*\/\.env\n/);
  assert.match(
    out,
    /Rules for the settings of this workspace \(1\)\n {2}allow {2}bash {2}make \*\n/,
  );
  for (const each of [USER, OWN, 'data']) assert.equal(existsSync(path.join(base, each)), false);
});

test('--write saves each rule once, keeps comments, and accepts the rules of the workspace', async () => {
  const base = plantRules();
  write(base, { [USER]: '{\n  // mine\n  "gatehouse.limits.steps": 7,\n}\n' });
  const { code, out } = await gatehouse(base, 'import', '--write');
  assert.equal(code, 0, out);
  assert.match(out, /saved 3 to .*settings\.json\nsaved 1 to .*settings\.json\n$/);
  const text = readFileSync(path.join(base, USER), 'utf8');
  assert.match(text, /\/\/ mine\n/);
  assert.match(text, /"pattern": "npm test \*"/);
  const file = path.join(base, OWN);
  const { 'gatehouse.permissions': rules } = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(rules, [{ permission: 'bash', pattern: 'make *', action: 'allow' }]);
  const acceptances = openAcceptances(path.join(base, 'data/state/accepted.json'));
  const saved = { permission: 'bash', pattern: 'make *', action: 'allow' };
  assert.equal(acceptances.has(file, ruleHash(saved)), true);
  const again = await gatehouse(base, 'import', '--write');
  assert.match(again.out, /There is nothing to import\./);
  assert.equal(readFileSync(path.join(base, USER), 'utf8'), text);
});

test('a settings file that is a link stays one, and a broken one is kept with an error', async () => {
  const base = plantRules();
  write(base, { 'dotfiles/settings.json': '{}', 'home/.config/gatehouse/other': '' });
  const link = path.join(base, USER);
  mkdirSync(path.dirname(link), { recursive: true });
  symlinkSync(path.join(base, 'dotfiles/settings.json'), link);
  assert.equal((await gatehouse(base, 'import', '--write')).code, 0);
  assert.match(readFileSync(path.join(base, 'dotfiles/settings.json'), 'utf8'), /npm test/);
  assert.equal(statSync(link).isFile(), true);

  const broken = plantRules();
  write(broken, { [USER]: '[]' });
  const { code, err } = await gatehouse(broken, 'import', '--write');
  assert.equal(code, 1);
  assert.match(err, /^gatehouse rules: .* was not changed: .*Fix the file and try again\.\n$/);
  assert.equal(readFileSync(path.join(broken, USER), 'utf8'), '[]');
});

test('a byte order mark and Windows lines are kept, and what is no list of rules is not overwritten', async () => {
  const marked = plantRules();
  write(marked, { [USER]: '\ufeff{\r\n  // mine\r\n  "a": 1\r\n}\r\n' });
  assert.equal((await gatehouse(marked, 'import', '--write')).code, 0);
  const text = readFileSync(path.join(marked, USER), 'utf8');
  assert.match(
    text,
    /^\ufeff\{\r\n {2}\/\/ mine\r\n {2}"a": 1,\r\n {2}"gatehouse\.permissions": \[\r\n/,
  );
  assert.doesNotMatch(text, /[^\r]\n/);

  const single = plantRules();
  const deny =
    '{ "gatehouse.permissions": { "permission": "bash", "pattern": "*", "action": "deny" } }';
  write(single, { [USER]: deny });
  const { code, err } = await gatehouse(single, 'import', '--write');
  assert.equal(code, 1);
  assert.match(
    err,
    /"gatehouse\.permissions" in the settings file is no list.*Fix it and try again/,
  );
  assert.equal(readFileSync(path.join(single, USER), 'utf8'), deny);
});

test('a source that cannot be read is an error after the rest was shown', async () => {
  const base = plantRules();
  write(base, { [NAMES.openCode]: '{' });
  const { code, out } = await gatehouse(base, 'import');
  assert.equal(code, 1);
  assert.match(out, /isn't valid JSON/);
  assert.match(out, /npm test/);
});

test('wrong arguments are usage errors', async () => {
  const base = plant();
  for (const [args, message] of [
    [[], /no command given/],
    [['export'], /unknown command export/],
    [['import', '--all'], /unknown option --all/],
    [['import', '--workspace', 'nowhere'], /--workspace: no folder "nowhere"/],
  ] as const) {
    const { code, out, err } = await gatehouse(base, ...args);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, message);
  }
});

test('--write waits until a window has saved its rules, and keeps them', async () => {
  const base = plantRules();
  const mine = { permission: 'bash', pattern: 'mine *', action: 'deny' };
  let imported: ReturnType<typeof gatehouse> | undefined;
  await withLockFile(path.join(base, USER), async () => {
    imported = gatehouse(base, 'import', '--write');
    // The command has read what it can by then.
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    write(base, { [USER]: { 'gatehouse.permissions': [mine] } });
  });
  assert.equal((await imported)?.code, 0);
  const { 'gatehouse.permissions': rules } = JSON.parse(
    readFileSync(path.join(base, USER), 'utf8'),
  );
  assert.deepEqual([rules[0], rules.length], [mine, 4]);
});
