import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  createProtectedTest,
  findProtected,
  IN_GITHUB,
  mayBeProtected,
  PROTECTED_FOLDERS,
} from '../../../../src/permissions/rules/protected.ts';

const name = fc.stringMatching(/^[a-z][a-z0-9 ]{0,6}[a-z0-9]$/);
const folders = fc.array(name, { maxLength: 3 }).map((names) => ['', ...names].join('/'));
const user = fc.constantFrom('User', 'user', 'USER', 'Machine');
const file = fc.constantFrom('settings.json', 'mcp.json', 'tasks.json', 'Keybindings.json');
const profile = fc.oneof(
  fc.constant(''),
  name.map((each) => `profiles/${each}/`),
);

/** Where editors keep their users' data; `@` stands for the editor's name. */
const DATA = [
  '.config/@',
  '.var/app/com.@.@/config/@',
  'snap/@/current/.config/@',
  'Library/Application Support/@',
  'AppData/Roaming/@',
  'data/user-data',
  '.@-server/data',
  '.@-server-insiders/data',
  '.@-remote/data',
  '.local/share/@-server',
] as const;

test("an editor's settings are protected wherever editors keep them", () => {
  fc.assert(
    fc.property(
      ...([folders, fc.constantFrom(...DATA), name, user, profile, file] as const),
      (home, data, editor, kind, inside, last) => {
        const path = `${home}/${data.replaceAll('@', editor)}/${kind}/${inside}${last}`;
        assert.notEqual(findProtected(path), undefined, path);
        // The beginning may be missing where the folder isn't known.
        const end = `${kind}/${inside}${last}`;
        assert.ok(mayBeProtected(end), end);
      },
    ),
  );
});

test('what shells and other version control run is protected, in every spelling of its name', () => {
  for (const path of [
    ...['/w/.bashrc', '/w/sub/.profile', '/w/.zshenv', '/w/.ZSHRC', '/w/.bash_profile'],
    ...['/home/me/.config/fish/config.fish', '/w/.Rprofile', '/w/.gdbinit', '/w/.pdbrc'],
    ...['/w/.hg', '/w/.hg/hgrc', '/w/.HG/hgrc', '/w/.jj/repo', '/w/.jj/repo/config.toml'],
    '/w/.agent/rules/a.md',
  ])
    assert.notEqual(findProtected(path), undefined, path);
  for (const path of [
    ...['/w/bashrc', '/w/.hgignore', '/w/.bashrc.d', '/w/profile', '/w/a.fish', '/w/repo'],
    // They change with every command.
    ...['/w/.hg/dirstate', '/w/.hg/store/data/a.i', '/w/.jj/working_copy/tree_state'],
  ])
    assert.equal(findProtected(path), undefined, path);
});

test('the same names elsewhere in a project are not', () => {
  fc.assert(
    fc.property(
      ...([folders, name, user, profile, file] as const),
      (home, parent, kind, inside, last) => {
        for (const path of [
          `${home}/${parent}/${kind}/${inside}${last}`,
          `${home}/${kind}/${inside}${last}`,
          `${home}/gatehouse/${last}`,
          `${home}/gatehouse/agents/${last}`,
        ])
          assert.equal(findProtected(path), undefined, path);
      },
    ),
  );
});

test('the folders that this user named are protected, whatever they are called', () => {
  fc.assert(
    fc.property(...([folders, name, profile, file] as const), (home, data, inside, last) => {
      const own = {
        settings: [`${home}/my.json`, `${home}/agents`],
        editors: [`${home}/${data}/User`],
      };
      const guarded = (path: string) => findProtected(`${home}/${path}`, own) !== undefined;
      for (const path of [
        ...['my.json', 'agents', 'agents/a.md', `${data}/User`, `${data}/user/profiles`],
        `${data}/User/${inside}${last}`,
      ])
        assert.ok(guarded(path), path);
      const free = ['my.json5', 'agents.md.bak', 'a.json', data, `${data}/User/globalStorage/a`];
      for (const path of [...free, `${data}x/User/${last}`]) assert.ok(!guarded(path), path);
    }),
  );
});

test('the quick test of many paths finds the same as the test of each', () => {
  const own = { settings: ['/w/My.json', '/w/agents'], editors: ['/w/data/User'] };
  const part = fc.constantFrom(
    ...[...PROTECTED_FOLDERS, ...IN_GITHUB, '.github', '.config', '.var', 'app', 'config', 'w'],
    ...['Roaming', 'Application Support', 'User', 'machine', 'profiles', 'gatehouse', 'Code', 'x'],
    ...[
      'Code - Insiders',
      'settings.json',
      'a.code-workspace',
      'a.code-workspace.',
      'AGENTS.md',
      'HEAD',
      'mise',
      'conf.d',
      'config.a.toml',
      '.mise.x.toml',
      'lefthook-local.yml',
      ...['.hg', 'hgrc', '.jj', 'repo', 'config.toml', '.bashrc'],
    ],
    ...['.npmrc', '.NPMRC ', '.git:x', '.ﬁx', 'toolſ.json', 'my.json', 'agents', 'data', 'a.ts'],
  );
  const path = fc.array(fc.oneof(part, fc.string({ maxLength: 3 })), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(fc.array(path, { maxLength: 4 }), (paths) => {
      const quick = createProtectedTest(own);
      for (const names of paths.map((each) => each.map((one) => one.replaceAll('/', '_')))) {
        const folder = `/${names.slice(0, -1).join('/')}`;
        const last = names.at(-1) ?? '';
        const full = folder === '/' ? `/${last}` : `${folder}/${last}`;
        assert.equal(quick(folder, last), findProtected(full, own) !== undefined, full);
      }
    }),
    { numRuns: 2000 },
  );
});
