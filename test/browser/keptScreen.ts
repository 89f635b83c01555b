import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { until } from '../workbench/processes.ts';
import type { Scene } from './scene.ts';

/** Waits until the last screen of the chat is on disk with a text, and returns all of it. */
export function keptOnDisk({ server }: Pick<Scene, 'server'>, text: string): Promise<string> {
  const files = path.join(server.home, 'data/User/workspaceStorage/*/*gatehouse*/screens/*.json');
  return until('the last screen on disk', () => {
    const found = globSync(files).find((file) => readFileSync(file, 'utf8').includes(text));
    if (found === undefined || (statSync(found).mode & 0o777) !== 0o600) return undefined;
    return readFileSync(found, 'utf8');
  });
}

/** What a page showed of its last screen until that was gone. */
export interface ShownScreen {
  /** How often it was seen. */
  readonly seen: number;
  /** Its text. */
  readonly text: string;
  /** Requests, buttons and inputs in it. */
  readonly controls: number;
}

/**
 * Notes in each page that the window opens from now on what it shows of a last screen. VS Code writes the page into a
 * document that is there, which ends all observers and frames that were asked for in it, but no timers. Returns what reads
 * the notes of a frame.
 */
export async function watchLastScreen(page: Page): Promise<(frame: Frame) => Promise<ShownScreen>> {
  await page.addInitScript(noteLastScreen);
  return (frame) =>
    until('the end of the last screen', async () => {
      await frame.evaluate(noteLastScreen);
      return (await frame.evaluate(() => Reflect.get(window, 'shownScreen'))) ?? undefined;
    });
}

/** Runs in each frame. It ends with the last screen, or once the chat is drawn without one; VS Code's own frame has none. */
function noteLastScreen(): void {
  if (window.top === window) return;
  let seen = 0;
  let text = '';
  let controls = 0;
  const look = () => {
    const kept = document.querySelector<HTMLElement>('body > .kept');
    const known = Reflect.get(window, 'shownScreen');
    if (kept !== null) {
      seen += 1;
      text = kept.innerText;
      controls = Math.max(controls, kept.querySelectorAll('[data-ask], button, textarea').length);
    } else if (document.querySelector('iframe') !== null) return;
    else if (seen > 0 || document.querySelector('#root .chat') !== null) {
      if (known === undefined || known.seen < seen) {
        Object.assign(window, { shownScreen: { seen, text, controls } });
      }
      return;
    }
    setTimeout(look, 5);
  };
  look();
}
