import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { findUnasked } from '../../../src/tools/protectedChanges.ts';
import { type Bed, openBed } from './bed.ts';
import { openSession, type TestSession } from './session.ts';

const RULES = ['./script.sh', './first.sh', './second.sh'].map((pattern) => ({
  permission: 'bash',
  pattern,
  action: 'allow',
}));
const SETTINGS = '.vscode/settings.json';

function prepare(bed: Bed): void {
  mkdirSync(path.join(bed.workspace, '.vscode'), { recursive: true });
  mkdirSync(path.join(bed.workspace, 'sub/inner'), { recursive: true });
  mkdirSync(path.join(bed.workspace, 'node_modules/a'), { recursive: true });
  writeFileSync(path.join(bed.workspace, SETTINGS), '{}\n');
  writeFileSync(path.join(bed.workspace, 'AGENTS.md'), 'Read.\n');
}

/** A script hides from the rules what it writes: the comparison sees it. */
function writeScript(bed: Bed, name: string, text: string): void {
  writeFileSync(path.join(bed.workspace, name), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
}

async function run(bed: Bed, session: TestSession, script: string) {
  writeScript(bed, 'script.sh', script);
  const envelope = await session.call('bash', { command: './script.sh' });
  const { protected_changes: changed = [] } = envelope.metadata;
  return { envelope, changed: changed.map((file) => path.relative(bed.workspace, file)).sort() };
}

for (const [what, script, expected] of [
  ['changed', `echo '{"a":1}' > ${SETTINGS}`, [SETTINGS]],
  ['created', 'echo x > tools.json', ['tools.json']],
  ['created in a new folder', 'mkdir -p .claude && echo x > .claude/a.md', ['.claude/a.md']],
  ['created far below', 'echo x > sub/inner/AGENTS.md', ['sub/inner/AGENTS.md']],
  ['deleted', 'rm AGENTS.md', ['AGENTS.md']],
  ['replaced by a link', 'rm AGENTS.md && ln -s script.sh AGENTS.md', ['AGENTS.md']],
  ['replaced by a pipe', 'rm AGENTS.md && mkfifo AGENTS.md', ['AGENTS.md']],
  ['replaced by a folder', 'rm AGENTS.md && mkdir AGENTS.md', ['AGENTS.md']],
  ['changed by a failing command', 'echo x > tools.json; exit 3', ['tools.json']],
  ['a hook of git', 'git init -q . && echo x > .git/hooks/pre-commit', '.git/hooks/pre-commit'],
] as const) {
  test(`a protected file that a command ${what} is reported`, async () => {
    using bed = openBed();
    prepare(bed);
    await using session = openSession(bed, { rules: RULES });
    const { changed } = await run(bed, session, script);
    if (typeof expected === 'string') assert.ok(changed.includes(expected), changed.join());
    else assert.deepEqual(changed, expected);
  });
}

for (const [what, script] of [
  ['other files', 'echo x > a.txt; mkdir b; echo x > b/c.json'],
  ['packages', 'mkdir node_modules/a/.vscode; echo x > node_modules/a/AGENTS.md'],
  ['a file written as it was', "echo 'Read.' > AGENTS.md"],
  ['its time only', 'touch AGENTS.md'],
] as const) {
  test(`a command that changes ${what} is not reported`, async () => {
    using bed = openBed();
    prepare(bed);
    await using session = openSession(bed, { rules: RULES });
    assert.deepEqual((await run(bed, session, script)).changed, []);
  });
}

test('ordinary git commands are not reported, a changed configuration is', async () => {
  using bed = openBed();
  prepare(bed);
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: bed.workspace,
    });
  git('init', '-q');
  git('add', 'AGENTS.md');
  git('commit', '-qm', 'a');
  await using session = openSession(bed, { rules: RULES });
  const quiet = await run(bed, session, 'git status; git branch b; git tag c; git gc -q');
  assert.deepEqual(quiet.changed, []);
  const loud = await run(bed, session, 'git config core.pager x');
  assert.deepEqual(loud.changed, ['.git/config']);
});

test('the card shows the difference, and the file keeps what the command wrote', async () => {
  using bed = openBed();
  prepare(bed);
  const warnings: string[] = [];
  await using session = openSession(bed, {
    rules: RULES,
    warn: (message) => warnings.push(message),
  });
  await run(bed, session, `echo '{"a":1}' > ${SETTINGS}`);
  const file = path.join(bed.workspace, SETTINGS);
  const last = session.chunks.findLast((chunk) => chunk.type === 'tool-output-available');
  assert.ok(last?.type === 'tool-output-available');
  const { content = [], locations = [] } = last.display ?? {};
  assert.deepEqual(content.at(-1), {
    type: 'diff',
    path: file,
    oldText: '{}\n',
    newText: '{"a":1}\n',
    line: 1,
  });
  assert.ok(locations.some((each) => each.path === file));
  assert.match(JSON.stringify(content), /without being asked about/);
  assert.match(warnings.join(), /Protected files changed while "\.\/script\.sh" ran/);
  assert.equal(readFileSync(file, 'utf8'), '{"a":1}\n');
});

test('what the user changes between two commands is not reported', async () => {
  using bed = openBed();
  prepare(bed);
  await using session = openSession(bed, { rules: RULES });
  assert.deepEqual((await run(bed, session, 'true')).changed, []);
  writeFileSync(path.join(bed.workspace, SETTINGS), '{"mine":1}\n');
  assert.deepEqual((await run(bed, session, 'true')).changed, []);
});

test('of two commands side by side, a change of the first is not lost', async () => {
  using bed = openBed();
  prepare(bed);
  await using session = openSession(bed, { rules: RULES });
  writeScript(bed, 'first.sh', 'echo x > tools.json; touch done');
  writeScript(bed, 'second.sh', 'for i in {1..500}; do [ -e done ] && exit; sleep 0.01; done');
  const both = await Promise.all([
    session.call('bash', { command: './second.sh' }),
    session.call('bash', { command: './first.sh' }),
  ]);
  const changed = both.flatMap(({ metadata }) => metadata.protected_changes ?? []);
  assert.deepEqual([...new Set(changed)], [path.join(bed.workspace, 'tools.json')]);
});

test('a loop of links and an unreadable folder end the search', async () => {
  using bed = openBed();
  prepare(bed);
  symlinkSync('.', path.join(bed.workspace, 'sub/loop'));
  await using session = openSession(bed, { rules: RULES });
  assert.deepEqual((await run(bed, session, 'mkdir -m 000 locked')).changed, []);
  assert.ok(existsSync(path.join(bed.workspace, 'locked')));
});

const CHANGE = { path: '/w/sub/tools.json', before: null, after: Buffer.from('x') };

for (const [target, decision, unasked] of [
  ['tools.json', 'ask', 0],
  ['sub', 'ask', 0],
  ['./sub/tools.json', 'ask', 0],
  ['../w/sub/', 'ask', 0],
  ['/w/sub/tools.json', 'ask', 0],
  ['ools.json', 'ask', 1],
  ['.', 'ask', 1],
  ['tools.json', 'allow', 1],
] as const) {
  test(`a change below ${target}, decided ${decision}, leaves ${unasked} unasked`, () => {
    const subjects = [{ permission: 'fs.write', target, decision: 'ask' }] as const;
    assert.equal(findUnasked([CHANGE], { decision, subjects }).length, unasked);
  });
}
