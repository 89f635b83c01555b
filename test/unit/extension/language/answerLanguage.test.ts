import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { LanguageQuery } from '../../../../src/base/tools/languageQuery.ts';
import {
  answerLanguage,
  type LanguageEditor,
} from '../../../../src/extension/language/answerLanguage.ts';

const SIGNAL = new AbortController().signal;
const RANGE = { start: { line: 0, character: 2 }, end: { line: 0, character: 5 } };
const FILE = { scheme: 'file', fsPath: '/w/a.ts' };
const ELSEWHERE = { scheme: 'git', fsPath: '/w/a.ts' };

/** An editor whose commands return `found`. */
function createEditor(found: unknown, more: Partial<LanguageEditor> = {}) {
  const ran: unknown[] = [];
  const editor: LanguageEditor = {
    open: async () => ({
      document: { uri: 'uri', lineCount: 1, lineAt: () => ({ text: 'let abc;' }) },
      starting: false,
    }),
    async execute(...call) {
      ran.push(call);
      if (found instanceof Error) throw found;
      return found;
    },
    toPosition: (line, character) => [line, character],
    problems: () => [],
    whenChecked: async () => undefined,
    edited: async () => [],
    ...more,
  };
  return { editor, ran };
}

const AT = {
  ...{ path: '/w/a.ts', lineText: 'let abc;' },
  position: { line: 0, character: 4 },
};

async function ask(found: unknown, query: LanguageQuery, more: Partial<LanguageEditor> = {}) {
  return answerLanguage(createEditor(found, more).editor, query, SIGNAL);
}

test('definitions and references come from links and locations, on disk only', async () => {
  const found = [
    { uri: FILE, range: RANGE },
    { targetUri: FILE, targetRange: {}, targetSelectionRange: RANGE },
    { uri: ELSEWHERE, range: RANGE },
    { uri: FILE, range: { start: { line: 'x' } } },
    null,
  ];
  const { editor, ran } = createEditor(found);
  const location = { path: '/w/a.ts', range: RANGE };
  const query = { ...AT, operation: 'definition' } as const;
  assert.deepEqual(await answerLanguage(editor, query, SIGNAL), {
    locations: [location, location],
  });
  await answerLanguage(editor, { ...query, operation: 'references' }, SIGNAL);
  assert.deepEqual(ran, [
    ['vscode.executeDefinitionProvider', 'uri', [0, 4]],
    ['vscode.executeReferenceProvider', 'uri', [0, 4]],
  ]);
});

test('symbols of a file come with their containers, those of the workspace with their files', async () => {
  const inner = { name: 'get', kind: 5, range: RANGE, selectionRange: RANGE };
  const outer = { ...inner, name: 'Box', kind: 4, children: [inner] };
  assert.deepEqual(await ask([outer], { operation: 'document_symbols', path: '/w/a.ts' }), {
    locations: [
      { path: '/w/a.ts', range: RANGE, text: 'Box', kind: 'class' },
      { path: '/w/a.ts', range: RANGE, text: 'get', kind: 'method', from: 'Box' },
    ],
  });
  const found = { name: 'get', kind: 11, containerName: '', location: { uri: FILE, range: RANGE } };
  assert.deepEqual(await ask([found], { operation: 'workspace_symbols', text: 'g' }), {
    locations: [{ path: '/w/a.ts', range: RANGE, text: 'get', kind: 'function' }],
  });
});

test('problems come with their severity, errors first, once they were looked for', async () => {
  const waited: unknown[] = [];
  const more: Partial<LanguageEditor> = {
    whenChecked: async (document) => void waited.push(document.uri),
    problems: () => [
      [
        '/w/a.ts',
        [
          { message: 'Unused.', severity: 1, source: 'ts', range: RANGE },
          { message: 'Wrong.', severity: 0, range: RANGE },
        ],
      ],
    ],
  };
  const { locations } = await ask([], { operation: 'diagnostics', path: '/w/a.ts' }, more);
  assert.deepEqual(
    locations?.map(({ text, kind, from }) => [text, kind, from]),
    [
      ['Wrong.', 'error', undefined],
      ['Unused.', 'warning', 'ts'],
    ],
  );
  await ask([], { operation: 'diagnostics' }, more);
  assert.deepEqual(waited, ['uri']);
});

test('a file that is another one in the editor is not asked about', async () => {
  const { editor, ran } = createEditor([]);
  const query = { ...AT, operation: 'definition', lineText: 'let other;' } as const;
  assert.match((await answerLanguage(editor, query, SIGNAL)).error ?? '', /not the same/);
  assert.deepEqual(ran, []);
});

test('without a provider the answer says so, and very many locations are cut', async () => {
  assert.match(
    (await ask(undefined, { ...AT, operation: 'definition' })).error ?? '',
    /No extension/,
  );
  const many = Array.from({ length: 5000 }, () => ({ uri: FILE, range: RANGE }));
  const { locations, cut } = await ask(many, { ...AT, operation: 'references' });
  assert.deepEqual([locations?.length, cut], [1000, true]);
});

const RENAME = { ...AT, operation: 'rename', text: 'b' } as const;

test('a rename is sent as edits with the hash of the text, and is refused as a provider says', async () => {
  const edit = { range: RANGE, newText: 'b' };
  const text = '\uFEFFlet abc;\r\n';
  const edited: LanguageEditor['edited'] = async () => [{ uri: FILE, text, edits: [edit] }];
  const textHash = createHash('sha256').update('let abc;\n').digest('hex');
  assert.deepEqual(await ask({}, RENAME, { edited }), {
    files: [{ path: '/w/a.ts', textHash, edits: [edit] }],
  });
  const refused = await ask(new Error('You cannot rename this element'), RENAME);
  assert.deepEqual(refused, { error: "It can't be renamed: You cannot rename this element." });
});

test('a rename that changes more than texts on disk is refused whole, and one too large is cut', async () => {
  const edit = { range: RANGE, newText: 'b' };
  const file = { uri: FILE, text: 'let abc;', edits: [edit] };
  const check = async (more: Awaited<ReturnType<LanguageEditor['edited']>>) =>
    ask({}, RENAME, { edited: async () => more });
  assert.match((await check([file, { ...file, uri: ELSEWHERE }])).error ?? '', /no text on disk/);
  assert.match((await check([{ ...file, edits: [edit, {}] }])).error ?? '', /no text on disk/);
  const many = Array.from({ length: 201 }, () => file);
  assert.deepEqual(await check(many), { files: [], cut: true });
});
