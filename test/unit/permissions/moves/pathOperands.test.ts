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
    'git restore --source=HEAD~1 a.txt src/b.txt',
    'cd src && git checkout HEAD~1 -- b.txt',
  ])
    assert.equal(await decide(line), 'allow', line);
});
