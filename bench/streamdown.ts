import { build } from 'esbuild';
import type { ChatPage } from '../test/workbench/chatPage.ts';

let bundle: Promise<string> | undefined;

/**
 * Draws the same posts by Streamdown (a React component for Markdown that streams) in a box that stays
 * at its end. Its code is not colored, unlike ours: that is an add-on of its own.
 */
export async function startStreamdown({ page }: ChatPage): Promise<void> {
  bundle ??= bundlePage();
  await page.addScriptTag({ content: await bundle });
}

async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['bench/page/streamdownPage.mjs'],
    ...{ bundle: true, write: false, minify: true, format: 'iife', platform: 'browser' },
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}
