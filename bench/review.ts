import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { launchChromium } from '../test/workbench/chromium.ts';
import { ROOT } from '../test/workbench/paths.ts';
import { copySample } from '../test/workbench/sample.ts';
import { startServer } from '../test/workbench/server.ts';
import type { Row } from './row.ts';

/** Opening the review of a 9 MB proposal, in a real window, against VS Code's diff of two such files. */
export async function reviewRows(): Promise<readonly Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-bench-'));
  const results = path.join(folder, 'results.json');
  const sample = copySample();
  try {
    await build({
      entryPoints: [path.join(import.meta.dirname, 'reviewHost.ts')],
      outfile: path.join(folder, 'index.cjs'),
      ...{ bundle: true, platform: 'node', format: 'cjs', target: 'node22' },
      external: ['vscode'],
      logLevel: 'warning',
    });
    await runInWindow(path.join(folder, 'index.cjs'), sample.folder, results);
    const times: { readonly diff: number; readonly review: number } = JSON.parse(
      readFileSync(results, 'utf8'),
    );
    return [
      {
        goal: `review of a 9 MB proposal opens (${times.review.toFixed(0)} ms)`,
        anchor: `vscode.diff of two 9 MB files (${times.diff.toFixed(0)} ms)`,
        ratio: times.review / times.diff,
        limit: 1.3,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    sample.dispose();
  }
}

async function runInWindow(tests: string, folder: string, results: string): Promise<void> {
  const server = await startServer({ driver: true, env: { BENCH_RESULTS: results } });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const ended = new Promise<void>((resolve, reject) => {
      void page.exposeFunction('codeAutomationExit', () => resolve());
      void page.exposeFunction('codeAutomationLog', () => undefined);
      page.on('crash', () => reject(new Error('The page crashed.')));
    });
    const uri = (file: string) => `vscode-remote://${server.authority}${file}`;
    const payload = [
      ['extensionDevelopmentPath', uri(ROOT)],
      ['extensionTestsPath', uri(tests)],
    ];
    const query = `folder=${encodeURI(folder)}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
    await page.goto(`${server.url}/?${query}`);
    await ended;
  } finally {
    await browser.close();
    await server.stop();
  }
}
