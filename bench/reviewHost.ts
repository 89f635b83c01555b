import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { toDiffContent } from '../src/acp/diffContent.ts';
import type { Gatehouse } from '../src/extension/gatehouse.ts';
import { interleave } from './row.ts';

/** Runs inside the extension host: opens 9 MB as a review, and two such files as VS Code's own diff. */
export async function run(): Promise<void> {
  const extension = vscode.extensions.getExtension<Gatehouse>('gatehouse.gatehouse');
  if (extension === undefined) throw new Error('Gatehouse is not installed.');
  const { review } = await extension.activate();
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-bench-'));
  let opened = 0;
  const prepare = () => {
    opened += 1;
    const file = path.join(folder, `file-${opened}.txt`);
    const oldText = makeText(opened);
    const newText = oldText.replace('line 70 ', 'LINE 70 ').replace('line 80000 ', 'LINE 80000 ');
    writeFileSync(file, oldText);
    writeFileSync(`${file}.new`, newText);
    return { file, oldText, newText, id: `bench-${opened}` };
  };
  const close = () => vscode.commands.executeCommand('workbench.action.closeAllEditors');
  const times = await interleave(7, {
    diff: async () => {
      const { file } = prepare();
      const [left, right] = [vscode.Uri.file(file), vscode.Uri.file(`${file}.new`)];
      const started = performance.now();
      await vscode.commands.executeCommand('vscode.diff', left, right, 'diff', { preview: false });
      const took = performance.now() - started;
      await close();
      return took;
    },
    review: async () => {
      const { file, oldText, newText, id } = prepare();
      const beforeHash = createHash('sha256').update(oldText).digest('hex');
      const content = toDiffContent([{ path: file, beforeHash, oldText, newText }]);
      const started = performance.now();
      await review.reviews.add(id, { sessionId: 'bench', toolCallId: id }, content);
      await review.reviews.open(id, true);
      const took = performance.now() - started;
      await review.reviews.finish(id, 'rejected');
      await close();
      return took;
    },
  });
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const results = process.env['BENCH_RESULTS'];
  if (results) writeFileSync(results, JSON.stringify(times));
}

/** 9 MB in lines of about 100 characters; different texts, so that nothing is cached. */
function makeText(seed: number): string {
  const words = `${seed} is a line of some text that is about as long as a line of code is, `;
  return Array.from({ length: 92_000 }, (_, at) => `line ${at} ${words}${at}\n`).join('');
}
