import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type {
  CodeRange,
  LanguageAnswer,
  LanguageQuery,
} from '../../../../src/base/tools/languageQuery.ts';
import { lsp } from '../../../../src/tools/language/lsp.ts';
import { applyPatch } from '../../../../src/tools/patch/applyPatch.ts';
import { type Bed, openBed } from '../bed.ts';
import { dataOf, errorOf, openSession, type SessionOptions } from '../session.ts';

const READ = [{ permission: 'fs.read', pattern: '{workspace}/**', action: 'allow' }];

function write(bed: Bed, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.resolve(bed.workspace, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function at(line: number, from: number, to = from): CodeRange {
  return { start: { line, character: from }, end: { line, character: to } };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A session whose editor gives this answer. */
function open(bed: Bed, answer: LanguageAnswer, options: SessionOptions = {}) {
  const asked: LanguageQuery[] = [];
  const askLanguage = async (query: LanguageQuery) => {
    asked.push(query);
    return answer;
  };
  const extra = [lsp, applyPatch];
  const session = openSession(bed, { rules: READ, extra, services: { askLanguage }, ...options });
  return { session, asked };
}

test('lsp asks for the symbol as a whole word of its line, and shows locations with their lines', async () => {
  using bed = openBed();
  write(bed, { 'src/a.ts': 'const aab = 1;\nlet b = aab; call(ab);\n', 'src/b.ts': 'ab();\r\n' });
  const locations = [
    { path: path.join(bed.workspace, 'src/b.ts'), range: at(0, 0, 2) },
    { path: path.join(bed.workspace, 'src/a.ts'), range: at(1, 18), kind: 'variable', text: 'ab' },
  ];
  const { session, asked } = open(bed, { locations });
  await using _ = session;
  const input = { operation: 'references', path: 'src/a.ts', line: 2, symbol: 'ab' };
  assert.deepEqual(dataOf(await session.call('lsp', input)), {
    text: 'src/b.ts:1:1: ab();\nsrc/a.ts:2:19: variable ab: let b = aab; call(ab);',
    found: 2,
  });
  assert.deepEqual(asked, [
    {
      operation: 'references',
      path: path.join(bed.workspace, 'src/a.ts'),
      position: { line: 1, character: 18 },
      lineText: 'let b = aab; call(ab);',
    },
  ]);
});

test('lsp shows nothing of files that are denied, outside, asked about or behind a link', async () => {
  using bed = openBed();
  write(bed, { 'a.ts': 'key\n', 'secret/s.ts': 'key\n', 'ask/q.ts': 'key\n' });
  write(bed, { [path.join(bed.outside, 'o.ts')]: 'key\n' });
  symlinkSync(path.join(bed.outside, 'o.ts'), path.join(bed.workspace, 'link.ts'));
  const names = ['a.ts', 'secret/s.ts', 'ask/q.ts', 'link.ts', 'gone.ts', '../outside/o.ts'];
  const locations = names.map((name) => ({
    ...{ path: path.resolve(bed.workspace, name), range: at(0, 0) },
    text: `symbol of ${name}`,
  }));
  for (const permission of ['lsp', 'read', 'grep', 'fs.read']) {
    const rules = [
      ...READ,
      { permission, pattern: 'secret/**', action: 'deny' },
      { permission, pattern: 'ask/**', action: 'ask' },
    ];
    const { session } = open(bed, { locations }, { rules });
    await using _ = session;
    const data = dataOf(await session.call('lsp', { operation: 'workspace_symbols', query: 'k' }));
    assert.deepEqual(data, {
      text: 'a.ts:1:1: symbol of a.ts: key',
      found: 1,
      note: 'Results in files that may not be read are left out.',
    });
    const denied = { operation: 'document_symbols', path: 'secret/s.ts' };
    assert.match(errorOf(await session.call('lsp', denied)), /den/i);
  }
});

test('lsp caps what it shows, and says so', async () => {
  using bed = openBed();
  write(bed, { 'a.ts': 'x\n' });
  const location = {
    path: path.join(bed.workspace, 'a.ts'),
    range: at(0, 0),
    text: 'x'.repeat(9999),
  };
  const { session } = open(bed, { locations: Array.from({ length: 900 }, () => location) });
  await using _ = session;
  const data = dataOf(await session.call('lsp', { operation: 'diagnostics' }));
  assert.equal(data['found'] ?? data['note'], 200);
});

test('lsp is not available where no editor answers, and says what to do instead', async () => {
  using bed = openBed();
  await using session = openSession(bed, { rules: READ, extra: [lsp] });
  const text = errorOf(await session.call('lsp', { operation: 'diagnostics' }));
  assert.match(text, /not available here: only VS Code .* Use grep/);
});

test('lsp says which argument is missing, and that a symbol is not in its line', async () => {
  using bed = openBed();
  write(bed, { 'a.ts': 'x\n' });
  const { session, asked } = open(bed, {});
  await using _ = session;
  const check = async (input: object, expected: RegExp) =>
    assert.match(errorOf(await session.call('lsp', input)), expected);
  await check({ operation: 'workspace_symbols' }, /needs "query"/);
  await check({ operation: 'definition' }, /needs "path"/);
  await check({ operation: 'definition', path: 'a.ts' }, /needs "line"/);
  await check({ operation: 'definition', path: 'a.ts', line: 1 }, /needs "symbol"/);
  await check({ operation: 'rename', path: 'a.ts', line: 1, symbol: 'x' }, /needs "new_name"/);
  await check({ operation: 'definition', path: 'a.ts', line: 9, symbol: 'x' }, /Line 9 .* no "x"/);
  assert.deepEqual(asked, []);
});

/** The answer of a rename of `x` to `y` in these files, each of which begins with it. */
function renamed(bed: Bed, files: Readonly<Record<string, string>>): LanguageAnswer {
  return {
    files: Object.entries(files).map(([name, text]) => ({
      path: path.resolve(bed.workspace, name),
      textHash: hash(text.replaceAll('\r\n', '\n')),
      edits: [{ range: at(0, 0, 1), newText: 'y' }],
    })),
  };
}

const RENAME = { operation: 'rename', path: 'a.ts', line: 1, symbol: 'x', new_name: 'y' };

test('a rename changes nothing: its patch goes through apply_patch, which asks', async () => {
  using bed = openBed();
  const files = { 'a.ts': 'x = 1\nq\n', 'b/c.ts': 'x();\r\nq\r\n', 'd.ts': 'x' };
  write(bed, files);
  const read = () =>
    Object.keys(files).map((name) => readFileSync(path.join(bed.workspace, name), 'utf8'));
  const { session } = open(bed, renamed(bed, files), { ask: async () => ({ outcome: 'allow' }) });
  await using _ = session;
  const data = dataOf(await session.call('lsp', RENAME));
  assert.deepEqual([data['files'], data['edits']], [Object.keys(files), 3]);
  assert.deepEqual([read(), session.asks.length], [Object.values(files), 0]);
  dataOf(await session.call('apply_patch', { patch: data['patch'] }));
  assert.equal(session.asks.length, 1);
  assert.deepEqual(read(), ['y = 1\nq\n', 'y();\r\nq\r\n', 'y']);
});

test('a rename that reaches a file outside or denied, or an outdated one, is not shown at all', async () => {
  using bed = openBed();
  write(bed, { 'a.ts': 'x\n', 'secret/s.ts': 'x key\n' });
  write(bed, { [path.join(bed.outside, 'o.ts')]: 'x key\n' });
  const rules = [...READ, { permission: 'read', pattern: 'secret/**', action: 'deny' }];
  const check = async (answer: LanguageAnswer, expected: RegExp) => {
    const { session } = open(bed, answer, { rules });
    await using _ = session;
    const text = errorOf(await session.call('lsp', RENAME));
    assert.match(text, expected);
    assert.doesNotMatch(text, /key|secret|outside/);
  };
  await check(
    renamed(bed, { 'a.ts': 'x\n', 'secret/s.ts': 'x key\n' }),
    /files that you may not read/,
  );
  await check(renamed(bed, { 'a.ts': 'x\n', '../outside/o.ts': 'x key\n' }), /may not read/);
  await check(renamed(bed, { 'a.ts': 'x of before\n' }), /a\.ts is not the same in the editor/);
  await check({ files: [], cut: true }, /Nothing there|more than one patch/);
  await check({ files: [] }, /Nothing there can be renamed/);
  await check({ error: "It can't be renamed: no." }, /can't be renamed: no/);
});

test('edits of a rename that overlap or lie outside of the text are refused', async () => {
  using bed = openBed();
  write(bed, { 'a.ts': 'x\n' });
  const file = { path: path.join(bed.workspace, 'a.ts'), textHash: hash('x\n') };
  for (const ranges of [[at(0, 0, 1), at(0, 0, 1)], [at(7, 0, 1)]]) {
    const edits = ranges.map((range) => ({ range, newText: 'y' }));
    const { session } = open(bed, { files: [{ ...file, edits }] });
    await using _ = session;
    assert.match(errorOf(await session.call('lsp', RENAME)), /overlap/);
  }
});

test('a rename too large for a patch is left to the user', async () => {
  using bed = openBed();
  const text = 'x\n'.repeat(9000);
  write(bed, { 'a.ts': text });
  const edits = Array.from({ length: 9000 }, (_, line) => ({
    range: at(line, 0, 1),
    newText: 'y',
  }));
  const file = { path: path.join(bed.workspace, 'a.ts'), textHash: hash(text), edits };
  const { session } = open(bed, { files: [file] });
  await using _ = session;
  assert.match(errorOf(await session.call('lsp', RENAME)), /more than one patch can hold/);
});
