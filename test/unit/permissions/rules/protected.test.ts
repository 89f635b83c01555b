import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findProtected, mayBeProtected } from '../../../../src/permissions/rules/protected.ts';

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
