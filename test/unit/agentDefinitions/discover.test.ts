import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { BUILT_IN_AGENTS } from '../../../src/agentDefinitions/builtIn.ts';
import { discoverAgents } from '../../../src/agentDefinitions/discover.ts';

/** A workspace and a user's folder, and what the user has accepted in them. */
function setUp(t: TestContext) {
  const root = mkdtempSync(path.join(tmpdir(), 'agents-'));
  t.after(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const workspace = path.join(root, 'workspace');
  const config = path.join(root, 'config');
  const accepted = new Set<string>();
  const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
  const write = (folder: string, name: string, text: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  return {
    root,
    inWorkspace: (name: string, text: string) =>
      write(path.join(workspace, '.gatehouse/agents'), name, text),
    inClaude: (name: string, text: string, of: 'workspace' | 'home' = 'workspace') =>
      write(path.join(root, of, '.claude/agents'), name, text),
    inConfig: (name: string, text: string) => write(path.join(config, 'agents'), name, text),
    accept: (file: string) => void accepted.add(`${file} ${hashOf(file)}`),
    discover: (roots: readonly string[] = [workspace]) =>
      discoverAgents({
        workspace: roots,
        ...{ config, home: path.join(root, 'home') },
        acceptances: { has: (file, hash) => accepted.has(`${file} ${hash}`) },
      }),
  };
}

const agent = (description: string, line = 'mode: all') =>
  `---\ndescription: ${description}\n${line}\n---\nYou work.\n`;

test('without files there are only the built-in agents', async (t) => {
  const found = await setUp(t).discover();
  assert.deepEqual(found, { definitions: BUILT_IN_AGENTS, waiting: [], broken: [], warnings: [] });
});

test("a workspace's agent waits until its bytes are accepted, and again when they change", async (t) => {
  const bed = setUp(t);
  const file = bed.inWorkspace('docs.md', agent('Writes docs.'));
  const before = await bed.discover();
  assert.deepEqual(names(before), ['gatehouse']);
  assert.deepEqual(before.waiting, [{ name: 'docs', file }]);

  bed.accept(file);
  const after = await bed.discover();
  assert.deepEqual(names(after), ['docs', 'gatehouse']);
  assert.deepEqual(after.waiting, []);

  bed.inWorkspace('docs.md', agent('Writes other docs.'));
  assert.deepEqual(names(await bed.discover()), ['gatehouse']);
});

test('nothing is read from a workspace that is not trusted', async (t) => {
  const bed = setUp(t);
  bed.accept(bed.inWorkspace('docs.md', agent('Writes docs.')));
  const found = await bed.discover([]);
  assert.deepEqual([names(found), found.waiting], [['gatehouse'], []]);
});

test('the nearest of one name wins, with one warning', async (t) => {
  const bed = setUp(t);
  const near = bed.inWorkspace('docs.md', agent('Near.'));
  bed.accept(near);
  const far = bed.inConfig('docs.md', agent('Far.'));
  const found = await bed.discover();
  assert.deepEqual(found.definitions.map(({ description }) => description).slice(0, 2), [
    'Near.',
    BUILT_IN_AGENTS[0]?.description,
  ]);
  assert.deepEqual(found.warnings, [`Agent "docs": ${near} hides ${far}.`]);
});

test("the user's own agent needs no acceptance, but the folders that it opens do", async (t) => {
  const bed = setUp(t);
  const file = bed.inConfig('far.md', agent('Far.', `roots: [${JSON.stringify(bed.root)}]`));
  const before = await bed.discover();
  assert.deepEqual(before.definitions[0]?.roots, []);
  assert.match(before.warnings[0] ?? '', /roots have no effect until you run: gatehouse accept/);
  bed.accept(file);
  const after = await bed.discover();
  assert.deepEqual(after.definitions[0]?.roots, [bed.root]);
  assert.deepEqual(after.warnings, []);
});

test('a file with an error is skipped, and the error names it', async (t) => {
  const bed = setUp(t);
  const file = bed.inConfig('docs.md', agent('Writes docs.', 'temprature: 1'));
  const found = await bed.discover();
  assert.deepEqual(names(found), ['gatehouse']);
  assert.equal(found.warnings.length, 1);
  assert.ok(found.warnings[0]?.startsWith(`${file}: `));
  assert.match(found.warnings[0] ?? '', /temprature/);
});

test('only regular files are read', async (t) => {
  const bed = setUp(t);
  const file = bed.inWorkspace('a.md', agent('A.'));
  bed.accept(file);
  const link = path.join(path.dirname(file), 'b.md');
  symlinkSync(file, link);
  bed.accept(link);
  mkdirSync(path.join(path.dirname(file), 'c.md'));
  const found = await bed.discover();
  assert.deepEqual(names(found), ['a', 'gatehouse']);
  assert.deepEqual(
    found.warnings.map((each) => /must be a regular file/.test(each)),
    [true, true],
  );
});

function names({ definitions }: Awaited<ReturnType<typeof discoverAgents>>): readonly string[] {
  const others = BUILT_IN_AGENTS.slice(1);
  return definitions.filter((each) => !others.includes(each)).map(({ name }) => name);
}

const CLAUDE = `---
name: reviewer
description: Use it after changes. Examples: <example>user: "Review" assistant: "I do."</example>
tools: Read, Grep, Bash(git diff, git log), mcp__github__get_issue
model: sonnet
color: blue
permissionMode: plan
---
You review.
`;

test('an agent of Claude Code is read with its tools and model, and what has no effect is named once', async (t) => {
  const bed = setUp(t);
  const file = bed.inClaude('reviewer.md', CLAUDE, 'home');
  const found = await bed.discover();
  assert.deepEqual(found.definitions[0], {
    ...{ name: 'reviewer', mode: 'subagent', model: 'sonnet', tools: ['read', 'grep'] },
    description:
      'Use it after changes. Examples: <example>user: "Review" assistant: "I do."</example>',
    ...{ requires: {}, roots: [], permissions: [], prompt: 'You review.' },
  });
  assert.deepEqual(found.warnings, [
    `${file}: it has no effect here: color, tool Bash(git diff, git log), tool mcp__github__get_issue.`,
  ]);
});

test("an agent of Claude Code in a workspace waits for the user's acceptance, as other agents do", async (t) => {
  const bed = setUp(t);
  const file = bed.inClaude('reviewer.md', CLAUDE);
  const before = await bed.discover();
  assert.deepEqual([names(before), before.waiting], [['gatehouse'], [{ name: 'reviewer', file }]]);
  bed.accept(file);
  assert.deepEqual(names(await bed.discover()), ['reviewer', 'gatehouse']);
  assert.deepEqual(names(await bed.discover([])), ['gatehouse'], 'nothing of an untrusted one');
});

test('an agent of Claude Code without tools has all, and a barred one is never among them', async (t) => {
  const bed = setUp(t);
  const front = (more: string) => `---\nname: a\ndescription: D.\n${more}---\nP.\n`;
  const tools = async (more: string) => {
    bed.inClaude('a.md', front(more), 'home');
    const found = await bed.discover();
    return found.definitions.find(({ name }) => name === 'a')?.tools;
  };
  assert.equal(await tools('model: inherit\n'), undefined);
  assert.deepEqual(await tools('tools: [Read, Write]\ndisallowedTools: Write\n'), ['read']);
  const rest = await tools('disallowedTools: Bash(rm *), Write, Edit\n');
  for (const barred of ['bash', 'write', 'edit']) assert.equal(rest?.includes(barred), false);
  assert.ok(rest?.includes('read'));
  assert.deepEqual(await tools('tools: Bash(ls)\n'), [], 'a pattern never becomes the whole tool');
});

test('issue 18: an agent of Claude Code in plan mode has only tools that look', async (t) => {
  const bed = setUp(t);
  const read = async (more: string) => {
    bed.inClaude('a.md', `---\nname: a\ndescription: D.\n${more}---\nP.\n`, 'home');
    const { definitions, warnings } = await bed.discover();
    return [definitions.find(({ name }) => name === 'a')?.tools, warnings.join()] as const;
  };
  const [all, said] = await read('permissionMode: plan\n');
  assert.ok(all?.includes('read'));
  for (const id of ['write', 'edit', 'bash', 'task']) assert.equal(all?.includes(id), false, id);
  assert.match(said, /no effect here: tools of MCP servers\.$/);
  const [listed] = await read('tools: Read, Bash, Write\npermissionMode: plan\n');
  assert.deepEqual(listed, ['read']);
  const [other, words] = await read('tools: Read, Write\npermissionMode: acceptEdits\n');
  assert.deepEqual(other, ['read', 'write']);
  assert.match(words, /no effect here: permissionMode\.$/);
});

test('an agent of Claude Code that cannot be read says why', async (t) => {
  const bed = setUp(t);
  bed.inClaude('twice.md', '---\nname: x: y\ntools: Read\ntools: Bash\n---\nP.\n', 'home');
  bed.inClaude('bare.md', '---\nname: bare\n---\nP.\n', 'home');
  const { broken } = await bed.discover();
  assert.deepEqual(
    broken.map(({ name }) => name),
    ['bare', 'twice'],
  );
  assert.match(broken[0]?.why ?? '', /bare\.md: .*description/);
});
