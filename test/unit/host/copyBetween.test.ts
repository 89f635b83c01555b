import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { findOnPath } from '../../../src/runtime/commands/onPath.ts';
import { calls, connect, newSession, prompt, temporary } from './harness.ts';

/** What a command changes, what the user does to the same entry right after it, and what has to be there in the end. */
interface Row {
  readonly name: string;
  readonly command: string;
  readonly user: string;
  readonly left: string | undefined;
  /** What the call says about it. Absent: nothing. */
  readonly told?: string;
}

const BINARY = '\0old';

const ROWS: readonly Row[] = [
  row('text', 'echo new >text', 'echo own >text', 'own\n', 'changed'),
  row('gone', 'echo new >gone', 'rm gone', undefined, 'was deleted'),
  row('doomed', 'rm doomed', 'echo own >doomed', 'own\n', 'changed'),
  { ...row('both', 'rm both', 'rm both', undefined, '') },
  row('made', 'echo new >made', 'echo own >made', 'own\n', 'was created'),
  row('bin', "printf '\\0new' >bin", "printf '\\0own' >bin", '\0own', 'changed'),
  row('bin-gone', "printf '\\0new' >bin-gone", 'rm bin-gone', undefined, 'was deleted'),
  row('bin-doomed', 'rm bin-doomed', "printf '\\0own' >bin-doomed", '\0own', 'changed'),
  row('bin-made', "printf '\\0new' >bin-made", "printf '\\0own' >bin-made", '\0own', 'was created'),
  row('bin-text', "printf '\\0new' >bin-text", 'echo own >bin-text', 'own\n', 'changed'),
  row('link', 'ln -sfn text link', 'ln -sfn bin link', '-> bin', 'changed'),
  row('link-made', 'ln -s text link-made', 'ln -s bin link-made', '-> bin', 'was created'),
  row('linked', 'echo new >linked', 'ln -sfn text linked', '-> text', 'changed'),
  row('mode', 'chmod 755 mode', 'echo own >mode', 'own\n', 'changed'),
  row('mode-gone', 'chmod 755 mode-gone', 'rm mode-gone', undefined, 'was deleted'),
  row('folder', 'mkdir folder', 'mkdir -m 700 folder', 'folder 700', 'was created'),
  row('same', 'echo same >same', ':', 'same\n'),
  row('also', 'echo also >also', ':', 'also\n'),
  row('same-bin', "printf '\\0x' >same-bin", ':', '\0x'),
];

const [TEXTS, BINARIES] = [
  'text gone doomed both linked mode mode-gone same'.split(' '),
  'bin bin-gone bin-doomed bin-text same-bin'.split(' '),
];

test('what the user saves or deletes before an allowed change of a command is made stays so, and is told', async (t) => {
  const rules = [{ permission: 'fs.write', pattern: '**', action: 'allow' }];
  const { at, asks, text } = await run(t, rules);
  assert.deepEqual(asks, []);
  assert.deepEqual(
    describe(at),
    ROWS.map(({ name, left }) => [name, left]),
  );
  for (const { name, told } of ROWS) {
    const says = `${name} was not ${name.includes('doomed') ? 'deleted' : 'written'}: it ${told} in the workspace after the command ran.`;
    assert.equal(text.includes(says), told !== undefined && told !== '', `${says}\n${text}`);
  }
  // A folder that the command deleted, and the user saved a file in.
  assert.deepEqual(readdirSync(at('dir')), ['own', 'x']);
  assert.equal(readFileSync(at('dir/x'), 'utf8'), 'own\n');
  assert.match(text, /dir\/x was not deleted: it changed in the workspace after the command ran/);
  assert.match(text, /4 files that it changed were written/);
});

test('what the user saves or deletes before a review is made is not in the review', async (t) => {
  const { at, asks } = await run(t, []);
  assert.deepEqual(
    describe(at),
    ROWS.map(({ name, left }) => [name, left]),
  );
  const [asked] = asks;
  assert.equal(asks.length, 1);
  const shown = new Set(asked?.toolCall.locations?.map((each) => path.basename(each.path)));
  assert.deepEqual([...shown].sort(), ['also', 'dir', 'same', 'same-bin', 'y']);
});

function row(name: string, command: string, user: string, left?: string, told?: string): Row {
  return { name, command, user, left, ...(told !== undefined && { told }) };
}

/** Runs all of the commands as one, in a copy. The user acts when git is asked about what it changed. */
async function run(t: TestContext, permissions: readonly object[]) {
  const [data, workspace, programs] = [await temporary(t), await temporary(t), await temporary(t)];
  const at = (name: string) => path.join(workspace, name);
  plant(at);
  const lines = [
    ...ROWS.map(({ command }) => command),
    "perl -e 'unlink q(dir/x), q(dir/y); rmdir q(dir)'",
  ];
  writeFileSync(at('make.sh'), lines.join('\n'));
  for (const words of [
    ['init', '-q'],
    ['add', '-A'],
  ])
    execFileSync('git', words, { cwd: workspace });
  writeGit(programs, workspace);
  writeFileSync(
    path.join(data, 'settings.json'),
    JSON.stringify({ 'sandbox.autoRun': true, permissions }),
  );
  const asks: RequestPermissionRequest[] = [];
  const before = process.env['PATH'];
  process.env['PATH'] = `${programs}:${before}`;
  t.after(() => {
    process.env['PATH'] = before;
  });
  const host = await connect(t, {
    ...{ data, workspace, env: { HOME: await temporary(t), GATEHOUSE_BWRAP: '' } },
    script: [{ calls: [{ tool: 'bash', input: { command: 'bash make.sh' } }] }, { text: 'Done.' }],
    client: {
      permission(request) {
        asks.push(request);
        const option = request.options.find(({ kind }) => kind === 'allow_once');
        return { outcome: { outcome: 'selected', optionId: option?.optionId ?? '' } };
      },
    },
  });
  await prompt(host, await newSession(host));
  await host.stop();
  const text = JSON.stringify(calls(host).at(-1));
  assert.ok(existsSync(path.join(programs, 'acted')), `the user acted: ${text}`);
  return { at, asks, text };
}

function plant(at: (name: string) => string): void {
  mkdirSync(at('dir'));
  for (const name of [...TEXTS, 'dir/x', 'dir/y']) writeFileSync(at(name), 'old\n');
  for (const name of BINARIES) writeFileSync(at(name), BINARY);
  symlinkSync('nowhere', at('link'));
}

/** A git that lets the user act first, once, when it is asked what it ignores. */
function writeGit(folder: string, workspace: string): void {
  const acts = [...ROWS.map(({ user }) => user), 'echo own >dir/x', 'echo own >dir/own'];
  writeFileSync(path.join(folder, 'acts.sh'), acts.join('\n'));
  const real = findOnPath('git', process.env['PATH'] ?? '');
  const git = `#!/bin/sh
case " $* " in *" check-ignore "*) if mkdir '${folder}/acted' 2>/dev/null; then (cd '${workspace}' && sh '${folder}/acts.sh'); fi;; esac
exec '${real}' "$@"
`;
  writeFileSync(path.join(folder, 'git'), git);
  chmodSync(path.join(folder, 'git'), 0o755);
}

function describe(
  at: (name: string) => string,
): readonly (readonly [string, string | undefined])[] {
  return ROWS.map(({ name }) => {
    const found = lstatSync(at(name), { throwIfNoEntry: false });
    if (found === undefined) return [name, undefined];
    if (found.isSymbolicLink()) return [name, `-> ${readlinkSync(at(name))}`];
    if (found.isDirectory()) return [name, `folder ${(found.mode & 0o777).toString(8)}`];
    return [name, readFileSync(at(name), 'utf8')];
  });
}
