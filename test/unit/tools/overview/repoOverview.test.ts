import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { repoOverview } from '../../../../src/tools/overview/repoOverview.ts';
import { summarize } from '../../../../src/tools/overview/summarize.ts';
import { ALLOW_ALL, openBed } from '../bed.ts';
import { dataOf, errorOf, openSession } from '../session.ts';

function write(folder: string, ...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), '');
  }
}

test('repo_overview shows the tree, the files at the top and the languages, without ignored files', async () => {
  using bed = openBed();
  await using session = openSession(bed, { rules: ALLOW_ALL, extra: [repoOverview] });
  write(bed.workspace, 'own/src/a.ts', 'own/src/deep/b.ts', 'own/lib/c.py', 'own/README.md');
  write(bed.workspace, 'own/node_modules/x/d.js');
  mkdirSync(path.join(bed.workspace, 'own/.git'));
  writeFileSync(path.join(bed.workspace, 'own/.gitignore'), 'node_modules\n');
  assert.deepEqual(dataOf(await session.call('repo_overview', { path: 'own' })), {
    text: 'lib/ (1)\nsrc/ (2)\n  deep/ (1)\nREADME.md',
    files: 4,
    languages: [
      { language: 'TypeScript', files: 2 },
      { language: 'Markdown', files: 1 },
      { language: 'Python', files: 1 },
    ],
  });
});

test('repo_overview of a folder that glob may not list is denied, and one outside is refused', async () => {
  using bed = openBed();
  write(bed.workspace, 'secret/a.txt');
  const rules = [
    { permission: '*', pattern: '**', action: 'allow' },
    { permission: 'glob', pattern: 'secret/**', action: 'deny' },
  ];
  await using session = openSession(bed, { rules, extra: [repoOverview] });
  assert.match(errorOf(await session.call('repo_overview', { path: 'secret' })), /den/i);
  const all = dataOf(await session.call('repo_overview', {}));
  assert.doesNotMatch(String(all['text']), /secret/);
});

test('the tree is capped, and keeps all folders near the top', () => {
  const paths = Array.from({ length: 5000 }, (_, at) => `d${at % 50}/e${at}/f.go`);
  const { text, omitted, files } = summarize(paths, 8);
  const lines = text.split('\n');
  assert.deepEqual([lines.length, omitted, files], [200, 4850, 5000]);
  assert.equal(lines.filter((line) => !line.startsWith(' ')).length, 50);
});

test('a folder stands under its own parent, whatever the names beside it begin with', () => {
  const paths = ['app/src/a.ts', 'app-old/b.ts', 'app.d/c/d.ts', 'app b/e.ts'];
  assert.equal(
    summarize(paths, 3).text,
    ['app/ (1)', '  src/ (1)', 'app b/ (1)', 'app-old/ (1)', 'app.d/ (1)', '  c/ (1)'].join('\n'),
  );
});
