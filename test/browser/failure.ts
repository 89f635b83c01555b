import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { TRACES } from '../workbench/paths.ts';

/** What a log of the whole run may hold of one failed test. */
const LINES = 60;
/** Characters of a line. */
const WIDTH = 200;
/** Milliseconds that a page has to tell its text; one that hangs may be why the test failed. */
const TELLS_WITHIN = 3000;

/** What of a window a user would look at, by the selector of what holds it. */
const PARTS: Readonly<Record<string, string>> = {
  'quick input': '.quick-input-widget',
  notification: '.notification-list-item',
  dialog: '.monaco-dialog-box',
  tab: '.tabs-container .tab',
};

interface Failure {
  readonly pages: readonly Page[];
  /** The server's data folder. */
  readonly home: string;
  /** The tests that used the window, this one last. */
  readonly before: readonly string[];
  /** The folder of its window: only the host of that window was told of it. */
  readonly folder: string | undefined;
}

/**
 * Prints what the windows show and the last lines of what the extension and its host said, so that a
 * failure can be understood from the log of the run alone.
 */
export async function tellFailure(name: string, failure: Failure): Promise<void> {
  const { pages, home, before, folder } = failure;
  const lines = [`the last tests in its window: ${before.slice(-4).join(' | ')}`];
  for (const [index, page] of pages.entries()) {
    lines.push(...(await tellPage(page)).map((line) => `window ${index}: ${line}`));
  }
  lines.splice(LINES - 20);
  lines.push(...lastLines(newest(path.join(home, 'data/logs'), /Gatehouse.*\.log$/), 8, 'log'));
  const tells = (file: string) =>
    folder === undefined || readFileSync(file, 'utf8').includes(folder);
  lines.push(...lastLines(newest(TRACES, /^host-/, tells), 10, 'wire'));
  console.log(`-- what was there when "${name}" failed`);
  for (const line of lines.slice(0, LINES)) console.log(`   ${line.slice(0, WIDTH)}`);
}

async function tellPage(page: Page): Promise<readonly string[]> {
  const shown: string[] = [];
  for (const [part, selector] of Object.entries(PARTS)) {
    const texts = await inTime(page.locator(`${selector}:visible`).allInnerTexts());
    shown.push(...texts.map((text) => `${part}: ${oneLine(text)}`));
  }
  const focus = await inTime(page.evaluate<string[]>(FOCUS));
  shown.push(`focus: ${oneLine(focus.join(' '))}`);
  for (const frame of page.frames()) {
    const [text = ''] = await inTime(frame.locator('.chat').allInnerTexts());
    if (text !== '')
      shown.push(
        ...text
          .split('\n')
          .slice(-20)
          .map((line) => `chat: ${line}`),
      );
  }
  return shown.filter((line) => line.trim() !== '');
}

const FOCUS = `[document.hasFocus() ? 'has it' : 'is elsewhere', document.activeElement?.className ?? '']`;

/** The answer of a page, or what went wrong instead. */
function inTime(answer: Promise<string[]>): Promise<string[]> {
  const late = new Promise<string[]>((resolve) => {
    setTimeout(() => resolve(['(no answer from the page)']), TELLS_WITHIN).unref();
  });
  return Promise.race([answer.catch((error: unknown) => [String(error)]), late]);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** The file below a folder whose name is like this and which was written last. */
function newest(
  folder: string,
  name: RegExp,
  fits: (file: string) => boolean = () => true,
): string | undefined {
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(path.basename(file)))
    .map((file) => path.join(folder, file))
    .sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)
    .find(fits);
}

function lastLines(file: string | undefined, count: number, what: string): readonly string[] {
  if (file === undefined) return [`${what}: none`];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.slice(-count).map((line) => `${what}: ${line}`);
}
