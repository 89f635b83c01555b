import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../workbench/processes.ts';
import { calls, connect, newSession, prompt, temporary } from './harness.ts';

interface Asked {
  readonly sessionId: string;
  allow(): void;
}

/** A host with two sessions, each of which runs a script named after its prompt. */
async function openTwo(
  t: TestContext,
  scripts: Readonly<Record<string, string>>,
  permissions: readonly object[] = [],
) {
  const [data, workspace] = [await temporary(t), await temporary(t)];
  writeFileSync(
    path.join(data, 'settings.json'),
    JSON.stringify({ 'sandbox.autoRun': true, permissions }),
  );
  writeFileSync(path.join(workspace, 'a.txt'), 'old');
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(path.join(workspace, `${name}.sh`), text);
  }
  const asked: Asked[] = [];
  const ran = new Set<string>();
  const host = await connect(t, {
    ...{ data, workspace, env: { HOME: await temporary(t), GATEHOUSE_BWRAP: '' } },
    script({ body }) {
      const said = JSON.stringify(body);
      const name = Object.keys(scripts).find((each) => said.includes(`Run ${each}.`)) ?? '';
      if (ran.has(name)) return { text: 'Done.' };
      ran.add(name);
      return { calls: [{ tool: 'bash', id: name, input: { command: `bash ${name}.sh` } }] };
    },
    client: {
      permission({ sessionId, options }) {
        const { promise, resolve } = Promise.withResolvers<string>();
        const optionId = options.find(({ kind }) => kind === 'allow_once')?.optionId ?? '';
        asked.push({ sessionId, allow: () => resolve(optionId) });
        return promise.then((chosen) => ({
          outcome: { outcome: 'selected' as const, optionId: chosen },
        }));
      },
    },
  });
  const ids = [await newSession(host), await newSession(host)] as const;
  return {
    ...{ host, workspace, ids, asked },
    /** The folders for temporary files of both copies. */
    temporaries() {
      const copies = path.join(data, 'state/copies');
      if (!existsSync(copies)) return [];
      return readdirSync(copies, { withFileTypes: true })
        .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
        .flatMap((host) =>
          readdirSync(path.join(copies, host)).map((copy) => path.join(host, copy)),
        )
        .map((copy) => path.join(copies, copy, 'tmp'))
        .filter((folder) => existsSync(folder));
    },
    find: (sessionId: string) => asked.find((each) => each.sessionId === sessionId),
    read: (name: string) => readFileSync(path.join(workspace, name), 'utf8'),
    lastOf: (id: string) =>
      JSON.stringify(calls(host).findLast(({ toolCallId }) => toolCallId.includes(id))),
  };
}

test('two sessions in one workspace have a copy each, and the second to be allowed writes over nothing of the first', async (t) => {
  const { host, workspace, ids, find, read, lastOf } = await openTwo(t, {
    first: 'printf first > a.txt; printf 1 > only-first.txt; ls | tr "\\n" " "',
    second: 'printf second > a.txt; printf 2 > only-second.txt; ls | tr "\\n" " "',
  });
  const turns = [prompt(host, ids[0], 'Run first.'), prompt(host, ids[1], 'Run second.')];
  await until('both reviews', () => ids.every((id) => find(id)));
  assert.deepEqual(readdirSync(workspace).sort(), ['a.txt', 'first.sh', 'second.sh']);
  find(ids[1])?.allow();
  await turns[1];
  assert.deepEqual([read('a.txt'), read('only-second.txt')], ['second', '2']);
  find(ids[0])?.allow();
  await turns[0];
  assert.deepEqual(readdirSync(workspace).sort(), [
    ...['a.txt', 'first.sh', 'only-second.txt', 'second.sh'],
  ]);
  assert.equal(read('a.txt'), 'second');
  assert.match(lastOf('first'), /a\.txt changed while you waited for approval/);
  for (const [own, other] of [
    ['first', 'second'],
    ['second', 'first'],
  ] as const) {
    assert.doesNotMatch(lastOf(own), new RegExp(`only-${other}`));
  }
});

test('what another session writes while a command runs in a copy is a conflict, whoever wrote it', async (t) => {
  const { host, ids, find, read, lastOf, temporaries } = await openTwo(t, {
    slow: 'cat a.txt > /dev/null; printf slow > a.txt; printf 1 > slow.txt; : > /tmp/up; until [ -e /tmp/go ]; do sleep 0.05; done',
    quick: 'printf quick > a.txt',
  });
  const slow = prompt(host, ids[0], 'Run slow.');
  const isUp = (folder: string) => existsSync(path.join(folder, 'up'));
  await until('the slow command', () => temporaries().some(isUp));
  const quick = prompt(host, ids[1], 'Run quick.');
  await until('the review', () => find(ids[1]));
  find(ids[1])?.allow();
  await quick;
  assert.equal(read('a.txt'), 'quick');
  for (const folder of temporaries()) writeFileSync(path.join(folder, 'go'), '');
  await until('the other review', () => find(ids[0]));
  find(ids[0])?.allow();
  await slow;
  assert.equal(read('a.txt'), 'quick');
  assert.equal(read('slow.txt'), '1', 'what is no conflict is written');
  assert.match(lastOf('slow'), /a\.txt was not written: it changed in the workspace while/);
});

test('what the user deletes while a command in a copy changes it stays deleted, also where rules allow every write', async (t) => {
  const slow = [
    'sed -i s/old/new/ a.txt; printf new > lib/deep/x; printf new > lib/own; printf 1 > slow.txt; mkdir made; printf 2 > made/x',
    ': > /tmp/up; until [ -e /tmp/go ]; do sleep 0.05; done',
  ].join('; ');
  const allow = { permission: 'fs.write', pattern: '**', action: 'allow' };
  const { host, workspace, ids, asked, read, lastOf, temporaries } = await openTwo(t, { slow }, [
    allow,
  ]);
  mkdirSync(path.join(workspace, 'lib/deep'), { recursive: true });
  writeFileSync(path.join(workspace, 'lib/deep/x'), 'old');
  const ran = prompt(host, ids[0], 'Run slow.');
  await until('the command', () =>
    temporaries().some((folder) => existsSync(path.join(folder, 'up'))),
  );
  for (const name of ['a.txt', 'lib']) rmSync(path.join(workspace, name), { recursive: true });
  for (const folder of temporaries()) writeFileSync(path.join(folder, 'go'), '');
  await ran;
  assert.equal(asked.length, 0);
  assert.deepEqual(readdirSync(workspace).sort(), ['lib', 'made', 'slow.sh', 'slow.txt']);
  assert.deepEqual(readdirSync(path.join(workspace, 'lib')), ['own']);
  assert.deepEqual([read('slow.txt'), read('made/x')], ['1', '2'], 'what is new is written');
  for (const name of ['a.txt', 'lib/deep/x'])
    assert.ok(lastOf('slow').includes(`${name} was not written: it was deleted in the workspace`));
});
