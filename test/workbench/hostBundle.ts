import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './paths.ts';
import type { SuiteResult } from './suite.ts';

/** Written by `test/host/index.ts` at the end of a run. */
export type HostResults = SuiteResult;

/**
 * Bundles the in-host tests into a folder, one file each, and returns the module that VS Code
 * calls. Mocha stays outside: it loads parts of itself by name.
 */
export async function bundleHostTests(folder: string): Promise<string> {
  const source = path.join(ROOT, 'test/host');
  const tests = readdirSync(source).filter((name) => name.endsWith('.test.ts'));
  const mocha = createRequire(import.meta.url).resolve('mocha');
  await build({
    entryPoints: ['index.ts', ...tests].map((name) => path.join(source, name)),
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    sourcemap: 'inline',
    // As the product is bundled.
    mainFields: ['module', 'main'],
    alias: { mocha },
    external: ['vscode', mocha],
    logLevel: 'warning',
    // Parts of the host that look for files beside themselves are not run here.
    logOverride: { 'empty-import-meta': 'silent' },
  });
  return path.join(folder, 'index.cjs');
}
