import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import iconv from 'iconv-lite';
import * as vscode from 'vscode';
import { toDiffContent } from '../../src/acp/diffContent.ts';
import type { Gatehouse } from '../../src/extension/gatehouse.ts';
import type { ConnectedReviews } from '../../src/extension/review/connectReviews.ts';
import { until } from '../workbench/processes.ts';

/** Large enough for VS Code to get it without a mark where it can do without. */
const OLD = 'Zeile mit Größe und €\n'.repeat(60_000);
const NEW = OLD.replace('Größe', 'GRÖSSE');

suite('reviews of large files', () => {
  let review: ConnectedReviews;
  let folder = '';
  const files = () => vscode.workspace.getConfiguration('files');

  suiteSetup(async () => {
    const extension = vscode.extensions.getExtension<Gatehouse>('gatehouse.gatehouse');
    assert.ok(extension);
    ({ review } = await extension.activate());
    folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-large-'));
  });
  suiteTeardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  teardown(async () => {
    await files().update('encoding', undefined, true);
    await files().update('autoGuessEncoding', undefined, true);
    for (const { id } of review.reviews.pending) await review.reviews.finish(id, 'rejected');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  async function opensAsProposed(name: string, encoding = 'utf8'): Promise<void> {
    const file = path.join(folder, name);
    const bytes = iconv.encode(OLD, encoding);
    writeFileSync(file, bytes);
    const beforeHash = createHash('sha256').update(bytes).digest('hex');
    const call = { sessionId: 'large', toolCallId: name };
    const content = toDiffContent([{ path: file, beforeHash, oldText: OLD, newText: NEW }]);
    await review.reviews.add(name, call, content);
    await review.reviews.open(name, true);
    const find = (side: string) =>
      vscode.workspace.textDocuments.find(
        ({ uri }) =>
          uri.scheme === 'gatehouse-review' &&
          uri.path.endsWith(name) &&
          uri.query.includes(`side=${side}`),
      );
    const right = await until('the proposal', () => find('proposed'));
    const left = await until('the current file', () => find('current'));
    assert.ok(right.getText() === NEW, `the proposal begins with ${right.lineAt(0).text}`);
    assert.ok(left.getText() === OLD, `the file begins with ${left.lineAt(0).text}`);
  }

  test('open with every character', () => opensAsProposed('plain.txt'));

  test('open with every character where files have another encoding', async () => {
    await files().update('encoding', 'windows1252', true);
    await opensAsProposed('encoded.txt', 'windows1252');
  });

  test('open with every character where the encoding is guessed', async () => {
    await files().update('autoGuessEncoding', true, true);
    await opensAsProposed('guessed.txt');
  });

  test('open with every character where a language has another encoding', async () => {
    const config = vscode.workspace.getConfiguration('files', { languageId: 'markdown' });
    await config.update('encoding', 'windows1252', true, true);
    try {
      await opensAsProposed('language.md', 'windows1252');
    } finally {
      await config.update('encoding', undefined, true, true);
    }
  });
});
