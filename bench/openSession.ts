import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, CDPSession } from 'playwright-core';
import { chatState, longChat } from '../test/browser/chatState.ts';
import { openWindow, storeSession } from '../test/unit/extension/storedSession.ts';
import { ChatPage } from '../test/workbench/chatPage.ts';
import { interleave, type Row } from './row.ts';

const HOST = ['dist/host/main.mjs'];
const ROUNDS = 5;
const OPENINGS = 10;
/** Openings before: in the first ones, the engine compiles and optimises the page's code. */
const WARM_UP = 5;
const SCROLL_MS = 3_000;

/**
 * Opening stored sessions from a host of its own process until their end is drawn; scrolling through a
 * long one, and what opening it again and again leaves in memory.
 */
export async function openRows(browser: Browser): Promise<readonly Row[]> {
  const data = mkdtempSync(path.join(tmpdir(), 'gatehouse-bench-open-'));
  const folder = path.join(data, 'work');
  mkdirSync(folder);
  try {
    const stored = [2_000, 5_000].map((size) => storeSession(data, folder, size));
    const [some = '', many = ''] = stored;
    const times = await interleave(ROUNDS, {
      some: () => openTime(browser, data, folder, some),
      many: () => openTime(browser, data, folder, many),
    });
    const fps = await scrollRate(browser);
    const heap = await heapGrowth(browser);
    console.log('opening:', JSON.stringify({ times, fps, heap }));
    const row = (goal: string, anchor: string, ratio: number, limit = 1): Row => ({
      ...{ goal, anchor, ratio, limit },
    });
    return [
      row('first screen of 2,000 messages, from the host', '300 ms', times.some / 300),
      row('first screen of 5,000 messages, from the host', '400 ms', times.many / 400),
      row('frames while scrolling through 5,000 messages', '55 a second', 55 / fps),
      row(`heap after ${OPENINGS} more openings of 5,000 messages`, 'before', heap, 1.1),
    ];
  } finally {
    rmSync(data, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Milliseconds until the end of the session is drawn, with a host that runs already. */
async function openTime(browser: Browser, data: string, folder: string, id: string) {
  const window = openWindow(data, folder, HOST);
  const chat = await ChatPage.open(browser);
  try {
    await chat.show(chatState(longChat(2)), 'other');
    await window.link.connection();
    const start = performance.now();
    const session = window.open(id);
    await window.chats.load(session);
    const last = session.state.items.findLast(({ kind }) => kind === 'user');
    const text = last !== undefined && 'text' in last ? last.text : '';
    await chat.post({ type: 'snapshot', session: id, state: session.state, strings: {} as never });
    await chat.page.getByText(text, { exact: true }).waitFor();
    const took = performance.now() - start;
    await window.chats.whole(session);
    return took;
  } finally {
    await chat.close();
    window.close();
  }
}

/** Frames a second while the mouse wheel goes up through a long session. */
async function scrollRate(browser: Browser): Promise<number> {
  const chat = await ChatPage.open(browser);
  await chat.show(chatState(longChat(1667)));
  await chat.page.getByText('Answer 1666, part 0').waitFor();
  const frames = await chat.page.evaluate(async (duration) => {
    const box = document.querySelector('[role="log"]');
    const start = performance.now();
    let count = 0;
    while (performance.now() - start < duration) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      count += 1;
      box?.scrollBy({ top: -40 });
    }
    return (1000 * count) / (performance.now() - start);
  }, SCROLL_MS);
  await chat.close();
  return frames;
}

/** The heap of the page after the last opening, over that after the first ones. */
async function heapGrowth(browser: Browser): Promise<number> {
  const chat = await ChatPage.open(browser);
  const session = await chat.page.context().newCDPSession(chat.page);
  await session.send('Performance.enable');
  const state = chatState(longChat(1667));
  let warm = Number.NaN;
  let last = Number.NaN;
  for (let opening = 1; opening <= WARM_UP + OPENINGS; opening += 1) {
    await chat.show(chatState(longChat(2)), 'other');
    await chat.show(state, 'long');
    await chat.page.getByText('Answer 1666, part 0').waitFor();
    last = await heapSize(session);
    if (opening === WARM_UP) warm = last;
  }
  await chat.close();
  return last / warm;
}

async function heapSize(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN;
}
