import { after } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../workbench/chromium.ts';

let browser: Promise<Browser> | undefined;

/** One browser for all pages that need no editor. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= launchChromium();
  return browser;
}

after(async () => (await browser)?.close());
