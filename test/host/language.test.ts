import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../../src/base/clock.ts';
import type { LanguageAnswer, LanguageQuery } from '../../src/base/tools/languageQuery.ts';
import { answerLanguage } from '../../src/extension/language/answerLanguage.ts';
import { createLanguageEditor } from '../../src/extension/language/connectLanguage.ts';
import { until } from '../workbench/processes.ts';

suite('language features for the agent', () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const sum = path.join(folder, 'src/sum.js');
  const sumTest = path.join(folder, 'test/sum.test.js');
  const editor = createLanguageEditor(systemClock);
  const ask = (query: LanguageQuery): Promise<LanguageAnswer> =>
    answerLanguage(editor, query, new AbortController().signal);
  /** Where the word stands first in the file. */
  async function find(file: string, word: string) {
    const document = await vscode.workspace.openTextDocument(file);
    const at = document.positionAt(document.getText().indexOf(word));
    const position = { line: at.line, character: at.character };
    return { path: file, position, lineText: document.lineAt(at.line).text };
  }
  /** A language server may still be reading the project when it is first asked. */
  function wait(what: string, query: LanguageQuery, done: (answer: LanguageAnswer) => boolean) {
    return until(what, async () => {
      const answer = await ask(query);
      return done(answer) ? answer : undefined;
    });
  }

  test("VS Code's own JavaScript server: definition, references, symbols and rename", async () => {
    // Without the whole project, VS Code's server knows the files that are open.
    const declared = await find(sum, 'sum');
    const used = { ...(await find(sumTest, 'sum(')), operation: 'definition' } as const;
    const isIn = (file: string) => (answer: LanguageAnswer) =>
      answer.locations?.some((each) => each.path === file) === true;
    await wait('the definition', used, isIn(sum));
    await wait('the references', { ...declared, operation: 'references' }, isIn(sumTest));
    const symbols = await ask({ operation: 'document_symbols', path: sum });
    const found = symbols.locations?.find(({ text }) => text === 'sum');
    assert.deepEqual([found?.path, found?.kind], [sum, 'function']);
    const rename = { ...declared, operation: 'rename', text: 'total' } as const;
    const renamed = await wait('the rename', rename, ({ files }) => (files?.length ?? 0) > 1);
    assert.deepEqual(renamed.files?.map((file) => path.relative(folder, file.path)).sort(), [
      'src/sum.js',
      'test/sum.test.js',
    ]);
    const { dirty } = Object.groupBy(vscode.workspace.textDocuments, ({ isDirty }) =>
      isDirty ? 'dirty' : 'clean',
    );
    assert.equal(dirty, undefined, 'a rename is only previewed');
  });

  test('a provider of another extension that refuses, and problems that it finds', async () => {
    const name = path.join(folder, 'package.json');
    const provider = vscode.languages.registerRenameProvider('json', {
      provideRenameEdits: () => Promise.reject(new Error('Only keys are renamed.')),
    });
    const problems = vscode.languages.createDiagnosticCollection('language-test');
    try {
      const word = await find(name, 'name');
      const refused = await ask({ ...word, operation: 'rename', text: 'b' });
      assert.match(refused.error ?? '', /can't be renamed: Only keys/);
      const range = new vscode.Range(0, 0, 0, 3);
      problems.set(vscode.Uri.file(name), [new vscode.Diagnostic(range, 'Too short.')]);
      const { locations } = await ask({ operation: 'diagnostics', path: name });
      assert.deepEqual(
        locations?.map(({ text, kind }) => [text, kind]),
        [['Too short.', 'error']],
      );
      const elsewhere = await ask({ ...word, operation: 'definition', lineText: 'other' });
      assert.match(elsewhere.error ?? '', /not the same in the editor/);
    } finally {
      provider.dispose();
      problems.dispose();
    }
  });
});
