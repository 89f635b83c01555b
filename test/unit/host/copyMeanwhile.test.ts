import assert from 'node:assert/strict';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { calls, connect, newSession, prompt, temporary } from './harness.ts';

type At = (name: string) => string;

/** Changes a file, one in a folder, makes two new ones, and deletes a file and a folder (`rm -r` would ask first). */
const COMMAND =
  "f() { printf new >a.txt; printf new >src/s.txt; printf new >n.txt; printf new >$'\\u00e9.txt'; rm doomed; perl -e 'unlink q(dir/x); rmdir q(dir)'; }; f";

/** Runs the command in a copy; another program changes the workspace right before the user allows all of it. */
async function run(t: TestContext, change: (at: At, outside: string) => void) {
  const [data, workspace, outside] = [await temporary(t), await temporary(t), await temporary(t)];
  const at: At = (name) => path.join(workspace, name);
  for (const folder of ['src', 'dir']) mkdirSync(at(folder));
  for (const name of ['a.txt', 'src/s.txt', 'doomed', 'dir/x']) writeFileSync(at(name), 'old');
  writeFileSync(path.join(outside, 's.txt'), 'outside');
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify({ 'sandbox.autoRun': true }));
  let before = '';
  let asks = 0;
  const host = await connect(t, {
    ...{ data, workspace, env: { HOME: await temporary(t), GATEHOUSE_BWRAP: '' } },
    script: [{ calls: [{ tool: 'bash', input: { command: COMMAND } }] }, { text: 'Done.' }],
    client: {
      permission({ options }) {
        asks += 1;
        change(at, outside);
        before = describe(workspace);
        const option = options.find(({ kind }) => kind === 'allow_once');
        return { outcome: { outcome: 'selected', optionId: option?.optionId ?? '' } };
      },
    },
  });
  await prompt(host, await newSession(host));
  await host.stop();
  assert.equal(asks, 1);
  assert.equal(readFileSync(path.join(outside, 's.txt'), 'utf8'), 'outside');
  return { at, before, after: describe(workspace), text: JSON.stringify(calls(host).at(-1)) };
}

function describe(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return names
    .map((name) => {
      const stats = lstatSync(path.join(folder, name));
      const text = stats.isFile() ? readFileSync(path.join(folder, name), 'utf8') : '';
      return `${name} ${stats.mode} ${text}`;
    })
    .join('\n');
}

const REFUSED: Readonly<Record<string, (at: At, outside: string) => void>> = {
  'a folder in the place of a file': (at) => {
    rmSync(at('a.txt'));
    mkdirSync(at('a.txt'));
  },
  'a link out in the place of a file': (at, outside) => {
    rmSync(at('a.txt'));
    symlinkSync(path.join(outside, 's.txt'), at('a.txt'));
  },
  'a link to its own file, which was renamed': (at) => {
    renameSync(at('a.txt'), at('moved'));
    symlinkSync('moved', at('a.txt'));
  },
  'another name of a file outside': (at, outside) => {
    rmSync(at('a.txt'));
    linkSync(path.join(outside, 's.txt'), at('a.txt'));
  },
  'a link out in the place of a folder': (at, outside) => {
    renameSync(at('src'), at('moved'));
    symlinkSync(outside, at('src'));
  },
  'no file any more': (at) => rmSync(at('a.txt')),
  'a file of the same name as a new one': (at) => writeFileSync(at('n.txt'), 'own'),
  'a file that would be deleted, and has other content': (at) => writeFileSync(at('doomed'), 'own'),
};

for (const [what, change] of Object.entries(REFUSED)) {
  test(`nothing of a command is written where there is ${what} once the user allows it`, async (t) => {
    const { before, after, text } = await run(t, change);
    assert.equal(after, before);
    assert.match(text, /othing was (?:written|done)/);
  });
}

test('a file put into a folder that a command deletes stays, with the folder, and is told', async (t) => {
  const { at, text } = await run(t, (at) => writeFileSync(at('dir/own'), 'own'));
  assert.deepEqual(readdirSync(at('dir')), ['own']);
  assert.equal(readFileSync(at('a.txt'), 'utf8'), 'new');
  assert.match(text, /not empty/);
});

test('a file whose name only looks like that of a new one is another file', async (t) => {
  const twin = 'e\u0301.txt';
  const { at } = await run(t, (at) => writeFileSync(at(twin), 'own'));
  assert.equal(readFileSync(at(twin), 'utf8'), 'own');
  assert.equal(readFileSync(at('n.txt'), 'utf8'), 'new');
  assert.ok(!existsSync(at('doomed')));
});
