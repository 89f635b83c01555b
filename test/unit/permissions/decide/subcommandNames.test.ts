import assert from 'node:assert/strict';
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { listSpellings } from '../../../../src/permissions/decide/subcommandNames.ts';
import { evaluateBash } from '../ask.ts';

/** Each means what the rule is about, to the program. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  'npm publish': ['npm publi', 'npm pub', 'npm --loglevel silly publis', '/usr/bin/npm pu'],
  'npm run': ['npm rum x', 'npm urn x', 'npm run-script x', 'npm runScript x', 'npm run-s x'],
  'npm exec': ['npm exe x', 'npm x -- foo'],
  'npm install': ['npm i x', 'npm add x', 'npm isntall x', 'npm -g instal x'],
  'npm i': ['npm install x', 'npm inst x'],
  'gem push': ['gem pus x', 'gem pu x'],
  'cargo run': ['cargo r', 'cargo r --release'],
  'cargo remove': ['cargo rm x'],
  'composer require': ['composer req x', 'composer r x'],
  'bundle exec': ['bundle e x', 'bundle exe x'],
  'pnpm run': ['pnpm run-script x'],
  'ip addr add': ['ip a a 1.2.3.4', 'ip addre ad 1.2.3.4', 'ip -4 address add 1.2.3.4'],
  'docker rm': ['docker container rm x', 'docker container remove x'],
  'docker rmi': ['docker image rm x', 'docker image remove x', 'docker --context c image rm x'],
  'docker push': ['docker image push x'],
  'docker image rm': ['docker rmi x'],
  'podman push': ['podman image push x'],
};

for (const [pattern, lines] of Object.entries(SAME))
  for (const line of lines)
    test(`a deny of ${pattern} holds for ${line}`, async () => {
      const { decision } = await evaluateBash(line, ['bash * allow', `bash ${pattern} deny`]);
      assert.equal(decision, 'deny');
    });

/** They mean something else. */
const OTHERS: readonly (readonly [pattern: string, line: string])[] = [
  ['npm run', 'npm r foo'],
  ['npm publish', 'npm ping'],
  ['npm publish', 'npm view pub'],
  ['npm exec', 'npm explain foo'],
  ['cargo run', 'cargo b'],
  ['docker rm', 'docker ps'],
  ['docker rmi', 'docker images'],
  ['ip addr add', 'ip addr show'],
];

for (const [pattern, line] of OTHERS)
  test(`a deny of ${pattern} says nothing about ${line}`, async () => {
    const { decision } = await evaluateBash(line, ['bash * allow', `bash ${pattern} deny`]);
    assert.equal(decision, 'allow');
  });

test('only the first words of a line are compared, and options are not among them', () => {
  assert.ok(listSpellings(['npm', 'a', 'b', 'i']).includes('npm a b install'));
  assert.ok(listSpellings(['npm', '-a', '-b', '-c', 'i']).includes('npm -a -b -c install'));
  assert.deepEqual(listSpellings(['npm', 'x-1', 'x-2', 'x-3', 'i']), []);
});

test('an allow covers no other spelling', async () => {
  for (const line of ['npm publi', 'docker image push x'])
    assert.equal((await evaluateBash(line, ['bash npm publish allow'])).decision, 'ask', line);
});

test('npm exe starts what npm exec starts', async () => {
  const { decision } = await evaluateBash('npm exe rm x', ['bash npm * allow', 'bash rm deny']);
  assert.equal(decision, 'deny');
});

test('every spelling that the installed npm takes for a command is known', () => {
  const npm = loadCommands();
  const missing: string[] = [];
  for (const name of [...npm.commands, ...Object.keys(npm.aliases)])
    for (let end = 1; end <= name.length; end += 1) {
      const word = name.slice(0, end);
      const command = npm.deref(word);
      if (command === undefined || command === word) continue;
      if (!listSpellings(['npm', word]).includes(`npm ${command}`)) missing.push(word);
    }
  assert.deepEqual([...new Set(missing)], []);
});

/** The list of the npm on the path; none if it keeps it elsewhere. */
function loadCommands(): NpmCommands {
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    const npm = path.join(folder, 'npm');
    if (!existsSync(npm)) continue;
    const list = path.resolve(realpathSync(npm), '../../lib/utils/cmd-list.js');
    if (existsSync(list)) return createRequire(list)(list) as NpmCommands;
  }
  return NONE;
}

interface NpmCommands {
  readonly commands: readonly string[];
  readonly aliases: Readonly<Record<string, string>>;
  deref(word: string): string | undefined;
}

const NONE: NpmCommands = { commands: [], aliases: {}, deref: (word) => word };
