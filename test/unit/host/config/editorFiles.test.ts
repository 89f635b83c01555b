import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type {
  ConfigurationSnapshot,
  SettingsFile,
} from '../../../../src/acp/gatehouse/configure.ts';
import { openAcceptances } from '../../../../src/host/config/acceptance.ts';
import type { ConfigurationProblem } from '../../../../src/host/config/configuration.ts';
import { createConfigurationStore } from '../../../../src/host/config/configurationStore.ts';
import { temporary } from '../harness.ts';

const ALLOW = { permission: 'bash', pattern: 'touch *', action: 'allow' };
const DENY = { permission: 'bash', pattern: 'rm *', action: 'deny' };
const WHOLE = text(ALLOW, DENY);
/** VS Code reads the first rule of this only. */
const BROKEN = `{ "gatehouse.permissions": [${JSON.stringify(ALLOW)}, \n{ "permission: "bash" }, ${JSON.stringify(DENY)}] }`;

function text(...rules: readonly object[]): string {
  return JSON.stringify({ 'gatehouse.permissions': rules });
}

/** A host's configuration whose client read `rules` from the user settings in `folder`. */
async function open(t: TestContext) {
  const folder = await temporary(t);
  const file = path.join(folder, 'User', 'settings.json');
  mkdirSync(path.dirname(file));
  const reported: (readonly ConfigurationProblem[])[] = [];
  const store = createConfigurationStore({
    expectsSnapshot: true,
    userFile: '/nonexistent/settings.json',
    acceptances: openAcceptances(path.join(folder, 'accepted.json')),
    env: {},
    onProblems: (problems) => reported.push(problems),
  });
  return {
    ...{ folder, file, reported },
    write: (content: string, name = file) => {
      mkdirSync(path.dirname(name), { recursive: true });
      writeFileSync(name, content);
    },
    configure: (rules: readonly object[], more: Partial<ConfigurationSnapshot> = {}) =>
      store.configure({
        settings: {},
        rules: rules.map((rule, index) => ({ ...rule, origin: { layer: 'user', file, index } })),
        files: [{ layer: 'user', path: file }],
        workspace: { roots: [folder], adHoc: [], trusted: true },
        editor: {},
        ...more,
      }),
    /** The rules in force, a broken one as `broken`. */
    async rules() {
      // The files are looked at once per microtask.
      await Promise.resolve();
      const { rules } = store.current(folder);
      return rules.map(({ action, pattern, broken }) =>
        broken ? 'broken' : `${action} ${pattern}`,
      );
    },
    settings: () => store.current(folder).settings,
  };
}

test('a deny behind a syntax error holds until the file is fixed and the editor has read it', async (t) => {
  const host = await open(t);
  host.write(WHOLE);
  assert.deepEqual(host.configure([ALLOW, DENY]), []);
  assert.deepEqual(await host.rules(), ['allow touch *', 'deny rm *']);
  host.write(BROKEN);
  assert.deepEqual(await host.rules(), ['allow touch *', 'deny rm *', 'broken']);
  assert.equal(host.reported.length, 1, 'without a snapshot');
  const [problem] = host.configure([ALLOW]);
  assert.match(problem?.message ?? '', /^Line 2 is not valid JSON/);
  assert.deepEqual([problem?.origin?.file, problem?.damagedLine], [host.file, 2]);
  assert.deepEqual(await host.rules(), ['allow touch *', 'deny rm *', 'broken']);
  host.write(WHOLE);
  assert.deepEqual(await host.rules(), ['allow touch *', 'deny rm *', 'broken'], 'not read yet');
  host.configure([ALLOW]);
  assert.deepEqual(await host.rules(), ['allow touch *', 'deny rm *', 'broken'], 'sent meanwhile');
  assert.deepEqual(host.configure([ALLOW, DENY]), []);
  assert.deepEqual(await host.rules(), ['allow touch *', 'deny rm *']);
});

test('a fixed file whose rules the editor has needs no new snapshot', async (t) => {
  const host = await open(t);
  host.write(WHOLE);
  host.configure([ALLOW, DENY]);
  host.write(`${WHOLE} ]`);
  assert.equal((await host.rules()).at(-1), 'broken');
  host.write(`${WHOLE} `);
  assert.deepEqual(await host.rules(), ['allow touch *', 'deny rm *']);
  assert.deepEqual(host.reported.at(-1), []);
});

test('a file that is damaged when the host starts turns every allow into an ask', async (t) => {
  const host = await open(t);
  host.write(BROKEN);
  assert.equal(host.configure([ALLOW]).length, 1);
  assert.deepEqual(await host.rules(), ['allow touch *', 'broken']);
  assert.equal(host.settings().sandboxMode, 'require', 'the file may hide that it is required');
});

test('settings that a damaged file hides keep their last values', async (t) => {
  const host = await open(t);
  host.write(WHOLE);
  const settings = { 'watchdog.command': ['guard'], 'sandbox.mode': 'auto', 'limits.turnSteps': 5 };
  host.configure([DENY], { settings });
  host.write(BROKEN);
  const read = { 'watchdog.command': [], 'sandbox.mode': 'auto', 'limits.turnSteps': 7 };
  host.configure([ALLOW], { settings: read });
  const { watchdog, sandboxMode, limits } = host.settings();
  assert.deepEqual([watchdog.command, sandboxMode, limits.turnSteps], [['guard'], 'auto', 7]);
});

const NOT_SYNTAX: Readonly<Record<string, string | Buffer>> = {
  'a list': '[]',
  'a key that is there twice': `{ "gatehouse.permissions": [${JSON.stringify(DENY)}],\n"gatehouse.permissions": [] }`,
  'Latin-1': Buffer.from('{ "a": "\xe9" }', 'latin1'),
  'deep nesting': `{ "a": ${'['.repeat(50_000)}`,
  'no end': '{ "gatehouse.permissions": [',
};

for (const [name, content] of Object.entries(NOT_SYNTAX)) {
  test(`what hides rules is reported once: ${name}`, async (t) => {
    const host = await open(t);
    writeFileSync(host.file, content);
    assert.equal(host.configure([]).length, 1);
    assert.deepEqual(await host.rules(), ['broken']);
  });
}

test('a file that no one may read hides rules', async (t) => {
  const host = await open(t);
  // A folder in its place can't be read by any user, the superuser included.
  mkdirSync(host.file);
  assert.match(host.configure([])[0]?.message ?? '', /can't be read: it is a folder/);
  assert.deepEqual(await host.rules(), ['broken']);
});

for (const content of ['', ' \n', '// Nothing yet.\n', '{}', '{ "a": 1, } // Trailing comma.']) {
  test(`${JSON.stringify(content)} hides nothing`, async (t) => {
    const host = await open(t);
    host.write(content);
    assert.deepEqual(host.configure([]), []);
    assert.deepEqual(await host.rules(), []);
  });
}

test('the settings of every profile count', async (t) => {
  const host = await open(t);
  const profile = path.join(path.dirname(host.file), 'profiles', '5a', 'settings.json');
  host.write(BROKEN, profile);
  assert.deepEqual(
    host.configure([]).map(({ origin }) => origin?.file),
    [profile],
  );
  host.configure([ALLOW]);
  host.write(WHOLE, profile);
  assert.deepEqual(host.configure([]), [], 'the rules of a profile that is not in use');
  rmSync(profile);
});

test('a damaged profile that is not in use changes nothing', async (t) => {
  const host = await open(t);
  const profile = path.join(path.dirname(host.file), 'profiles', '5a', 'settings.json');
  host.write(WHOLE);
  host.write(BROKEN, profile);
  assert.deepEqual(host.configure([ALLOW, DENY]), [], 'the profile has no deny');
  assert.deepEqual(await host.rules(), ['allow touch *', 'deny rm *']);
  // The user changes to the profile, of which the editor reads the first rule only.
  assert.equal(host.configure([ALLOW]).length, 1);
  assert.deepEqual(await host.rules(), ['allow touch *', 'deny rm *', 'broken']);
  host.configure([ALLOW, DENY]);
  assert.deepEqual(await host.rules(), ['allow touch *', 'deny rm *'], 'and back');
});

test('one profile in use makes a damaged one count as unused, but not the settings of all', async (t) => {
  const host = await open(t);
  const [used, unused] = ['5a', '5b'].map((name) =>
    path.join(path.dirname(host.file), 'profiles', name, 'settings.json'),
  );
  host.write(text(DENY), used);
  host.write(BROKEN, unused);
  assert.deepEqual(host.configure([DENY]), []);
  assert.deepEqual(await host.rules(), ['deny rm *']);
  // Settings of the application are read in this file, whatever the profile.
  host.write(BROKEN);
  assert.equal((await host.rules()).at(-1), 'broken');
});

test('a damaged profile of which less can be read than the editor has may be the one in use', async (t) => {
  const host = await open(t);
  const profile = path.join(path.dirname(host.file), 'profiles', '5a', 'settings.json');
  host.write(text(ALLOW));
  host.write('{ "gatehouse.permissions": [', profile);
  assert.equal(host.configure([ALLOW]).length, 1);
});

test('a damaged profile counts as long as it may be the one in use', async (t) => {
  const host = await open(t);
  const profile = path.join(path.dirname(host.file), 'profiles', '5a', 'settings.json');
  host.write(BROKEN, profile);
  host.write('{}');
  assert.equal(host.configure([]).length, 1, 'without a rule, nothing tells them apart');
  host.write(text(ALLOW));
  assert.equal(host.configure([ALLOW]).length, 1, 'both have the rule');
  host.write(`${text(DENY)} ]`);
  assert.equal(host.configure([DENY]).length, 2, 'no file that can be read has the rules');
  host.write(text(DENY));
  assert.deepEqual(host.configure([DENY]), []);
  assert.deepEqual(await host.rules(), ['deny rm *']);
});

test('a fixed file of a remote machine needs no new snapshot', async (t) => {
  const host = await open(t);
  const machine = path.join(host.folder, 'Machine', 'settings.json');
  const files = [host.file, machine].map((each) => ({ layer: 'user', path: each }) as const);
  // Its rules replace those of the user, and have the same origin as these.
  host.write(text(ALLOW, DENY), machine);
  host.write(`${text(ALLOW)} ]`);
  host.configure([ALLOW, DENY], { files });
  assert.equal((await host.rules()).at(-1), 'broken');
  host.write(text(ALLOW));
  assert.deepEqual(await host.rules(), ['allow touch *', 'deny rm *']);
  host.write(`${text(DENY)} ]`, machine);
  host.write(text({ ...ALLOW, pattern: 'cat *' }));
  assert.equal((await host.rules()).at(-1), 'broken');
  host.write(text(DENY), machine);
  assert.deepEqual(await host.rules(), ['allow touch *', 'deny rm *']);
});

test('a file of a remote machine that was damaged at the start counts as fixed once it is', async (t) => {
  const host = await open(t);
  const machine = path.join(host.folder, 'Machine', 'settings.json');
  const files = [host.file, machine].map((each) => ({ layer: 'user', path: each }) as const);
  host.write(`${WHOLE} ]`, machine);
  host.configure([ALLOW, DENY], { files });
  assert.equal((await host.rules()).at(-1), 'broken');
  host.write(WHOLE, machine);
  assert.deepEqual(await host.rules(), ['allow touch *', 'deny rm *']);
});

test('a fixed file of the user waits for the editor if the machine has no rules', async (t) => {
  const host = await open(t);
  const machine = path.join(host.folder, 'Machine', 'settings.json');
  const files = [host.file, machine].map((each) => ({ layer: 'user', path: each }) as const);
  host.write('{}', machine);
  host.write('{ "a": } ]');
  host.configure([], { files });
  host.write(text(DENY));
  assert.deepEqual(await host.rules(), ['broken'], 'not read yet');
  host.configure([DENY], { files });
  assert.deepEqual(await host.rules(), ['deny rm *']);
});

test('a fixed profile needs no new snapshot, in use or not', async (t) => {
  const host = await open(t);
  const profile = path.join(path.dirname(host.file), 'profiles', '5a', 'settings.json');
  host.write(text(ALLOW));
  host.write(BROKEN, profile);
  host.configure([ALLOW]);
  assert.equal((await host.rules()).at(-1), 'broken');
  host.write(text(DENY), profile);
  assert.deepEqual(await host.rules(), ['allow touch *'], 'not in use');
  const other = await open(t);
  other.write(
    `${text(DENY)} ]`,
    path.join(path.dirname(other.file), 'profiles', '5a', 'settings.json'),
  );
  other.configure([DENY]);
  assert.equal((await other.rules()).at(-1), 'broken');
  other.write(text(DENY), path.join(path.dirname(other.file), 'profiles', '5a', 'settings.json'));
  assert.deepEqual(await other.rules(), ['deny rm *'], 'in use');
});

test('settings of a workspace are looked at once it is trusted', async (t) => {
  const host = await open(t);
  const file = path.join(host.folder, '.vscode', 'settings.json');
  const files: readonly SettingsFile[] = [{ layer: 'workspace', path: file }];
  host.write(BROKEN, file);
  const workspace = { roots: [host.folder], adHoc: [], trusted: false };
  assert.deepEqual(host.configure([], { files, workspace }), []);
  assert.equal(host.configure([], { files }).length, 1);
});

test('in a workspace file, settings are in their section', async (t) => {
  const host = await open(t);
  const file = path.join(host.folder, 'a.code-workspace');
  const files: readonly SettingsFile[] = [{ layer: 'workspace', path: file }];
  host.write('{ "settings": { "gatehouse.permissions": [], "gatehouse.permissions": [] } }', file);
  assert.match(host.configure([], { files })[0]?.message ?? '', /again/);
  host.write('{ "gatehouse.permissions": [], "settings": { "gatehouse.permissions": [] } }', file);
  assert.deepEqual(host.configure([], { files }), []);
});
