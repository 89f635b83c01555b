import assert from 'node:assert/strict';
import { lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { calls, connect, newSession, prompt, temporary } from './harness.ts';

/** Changes about which a rule for writing says nothing, and what the user is told. */
const DOUBTS: readonly (readonly [string, RegExp])[] = [
  [
    'ln -s /etc/passwd out',
    /`out` is a link that leads out of the workspace folder, to `\/etc\/pa/,
  ],
  ['rm a.txt; ln -s ../../../../etc/passwd a.txt', /`a\.txt` is a link that leads out/],
  ['ln -s "$HOME/.bashrc" rc', /`rc` is a link that leads out/],
  ['chmod 4755 a.txt', /`a\.txt` would run with the rights of its owner or group/],
  ['cp /bin/true su; chmod 6755 su', /`su` would run with the rights of its owner/],
  ['ln -s own/passwd x', /`x` is a link that leads out/],
  ['mkdir -p d/e; ln -s ../.. d/e/up; ln -s d/e/up/../etc y', /`y` is a link that leads out/],
];

test('a link that leads out and a set-user-ID bit are asked about, whatever a rule allows', async (t) => {
  const [data, workspace] = [await temporary(t), await temporary(t)];
  const rules = [{ permission: 'fs.write', pattern: '**', action: 'allow' }];
  writeFileSync(
    path.join(data, 'settings.json'),
    JSON.stringify({ 'sandbox.autoRun': true, permissions: rules }),
  );
  writeFileSync(path.join(workspace, 'a.txt'), 'text');
  symlinkSync('/etc', path.join(workspace, 'own'));
  const lines = [...DOUBTS.map(([line]) => line), 'ln -s a.txt inside; echo b >b.txt'];
  const asks: RequestPermissionRequest[] = [];
  const host = await connect(t, {
    ...{ data, workspace, env: { HOME: await temporary(t), GATEHOUSE_BWRAP: '' } },
    script: lines.flatMap((_, at) => [
      { calls: [{ tool: 'bash', input: { command: `bash all.sh ${at}` } }] },
      { text: 'Done.' },
    ]),
    client: {
      permission: (request) => {
        asks.push(request);
        const option = request.options.find(({ kind }) => kind === 'reject_once');
        return { outcome: { outcome: 'selected', optionId: option?.optionId ?? '' } };
      },
    },
  });
  const sessionId = await newSession(host);
  const isThere = (name: string) =>
    lstatSync(path.join(workspace, name), { throwIfNoEntry: false }) !== undefined;
  const write = (line = '') => writeFileSync(path.join(workspace, 'all.sh'), line);
  for (const [line, why] of DOUBTS) {
    write(line);
    await prompt(host, sessionId);
    const [asked] = asks.splice(0);
    assert.ok(asked !== undefined, line);
    assert.match(JSON.stringify(asked._meta), why, line);
    assert.deepEqual(
      asked.options.map(({ kind }) => kind),
      ['allow_once', 'reject_once'],
    );
  }
  assert.equal(readFileSync(path.join(workspace, 'a.txt'), 'utf8'), 'text');
  assert.equal(lstatSync(path.join(workspace, 'a.txt')).mode & 0o7000, 0);
  assert.deepEqual(['out', 'rc', 'su', 'x', 'y'].filter(isThere), []);
  write(lines.at(-1));
  await prompt(host, sessionId);
  assert.deepEqual(asks, []);
  assert.deepEqual(
    ['inside', 'b.txt'].filter(isThere),
    ['inside', 'b.txt'],
    JSON.stringify(calls(host).at(-1)),
  );
});

for (const [what, end] of [
  ['passed', ''],
  ['failed', '; exit 1'],
]) {
  test(`a review of a part of the changes of a command that ${what} says so, and so does its result`, async (t) => {
    const [data, workspace] = [await temporary(t), await temporary(t)];
    const rules = [{ permission: 'fs.write', pattern: '**', action: 'allow' }];
    writeFileSync(
      path.join(data, 'settings.json'),
      JSON.stringify({ 'sandbox.autoRun': true, permissions: rules }),
    );
    writeFileSync(path.join(workspace, 'all.sh'), `echo b >b.txt; ln -s /etc/passwd out${end}`);
    const asks: RequestPermissionRequest[] = [];
    const host = await connect(t, {
      ...{ data, workspace, env: { HOME: await temporary(t), GATEHOUSE_BWRAP: '' } },
      script: [{ calls: [{ tool: 'bash', input: { command: 'bash all.sh' } }] }, { text: 'Done.' }],
      client: {
        permission: (request) => {
          asks.push(request);
          const option = request.options.find(({ kind }) => kind === 'reject_once');
          return { outcome: { outcome: 'selected', optionId: option?.optionId ?? '' } };
        },
      },
    });
    await prompt(host, await newSession(host));
    const why = JSON.stringify(asks.map(({ _meta }) => _meta));
    assert.match(why, /Rules allow some of its changes\. These are the others; none of them is in/);
    assert.equal(readFileSync(path.join(workspace, 'b.txt'), 'utf8'), 'b\n');
    const text = JSON.stringify(calls(host).at(-1));
    assert.match(text, /· 1 file changed.*None of the changes that ask was written\./);
    assert.doesNotMatch(text, /None of its changes/);
  });
}
