import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeFolder, openRepository } from './repository.ts';

test('a protected file is found behind any of several paths', async () => {
  const root = makeFolder();
  const repository = openRepository(root);
  repository.git('init', '-q', '-b', 'main');
  repository.commit({
    'a.txt': 'a',
    'src/b.txt': 'b',
    '..x/c.txt': 'c',
    'AGENTS.md': 'x',
    '.vscode/tasks.json': '{}',
  });
  repository.commit({ 'AGENTS.md': null, '.vscode/tasks.json': null, 'a.txt': 'aa' });
  const decide = async (line: string) => (await repository.decide(line)).decision;
  for (const line of [
    'git checkout HEAD~1 -- AGENTS.md',
    'git checkout HEAD~1 -- a.txt AGENTS.md',
    'git checkout HEAD~1 -- AGENTS.md a.txt',
    'git checkout HEAD~1 -- src .vscode',
    'git checkout HEAD~1 -- agents.md a.txt',
    'git checkout HEAD~1 -- src a.txt .vscode/tasks.json',
    'git restore --source=HEAD~1 a.txt AGENTS.md',
    'git checkout HEAD~1 -- .',
    'git checkout HEAD~1 -- a.txt .',
    'cd src && git checkout HEAD~1 -- b.txt ..',
    "git checkout HEAD~1 -- a.txt '*.md'",
    "git checkout HEAD~1 -- a.txt ':/'",
    'cd src && git checkout HEAD~1 -- b.txt ../AGENTS.md',
  ])
    assert.equal(await decide(line), 'ask', line);
  for (const line of [
    'git checkout HEAD~1 -- a.txt',
    'git checkout HEAD~1 -- a.txt src',
    'git checkout HEAD~1 -- ..x/c.txt',
    'git restore --source=HEAD~1 a.txt src/b.txt',
    'cd src && git checkout HEAD~1 -- b.txt',
  ])
    assert.equal(await decide(line), 'allow', line);
});

test('a protected file below one of several folders is found', async () => {
  const root = makeFolder();
  const repository = openRepository(root);
  repository.git('init', '-q', '-b', 'main');
  repository.commit({ 'a.txt': 'a', 'docs/c.txt': 'c', 'docs/sub/AGENTS.md': 'x' });
  repository.commit({ 'a.txt': 'aa', 'docs/sub/AGENTS.md': null });
  const decide = async (line: string) => (await repository.decide(line)).decision;
  for (const line of [
    'git checkout HEAD~1 -- docs',
    'git checkout HEAD~1 -- a.txt docs',
    'git checkout HEAD~1 -- docs a.txt',
    'git checkout HEAD~1 -- DOCS a.txt',
    'git checkout HEAD~1 -- a.txt docs/sub',
    'git restore --source=HEAD~1 a.txt docs',
  ])
    assert.equal(await decide(line), 'ask', line);
  for (const line of [
    'git checkout HEAD~1 -- a.txt docs/c.txt',
    'git checkout HEAD~1 -- a.txt docs/su',
    'git checkout HEAD~1 -- a.txt doc',
  ])
    assert.equal(await decide(line), 'allow', line);
});
