import { statSync } from 'node:fs';
import type { Browser, CDPSession } from 'playwright-core';
import type { ChatItem } from '../src/webview/messages/chatState.ts';
import { chatState, longChat } from '../test/browser/chatState.ts';
import { ChatPage } from '../test/workbench/chatPage.ts';
import { launchChromium } from '../test/workbench/chromium.ts';
import { openRows } from './openSession.ts';
import { reloadRows } from './reload.ts';
import { interleave, median, type Row } from './row.ts';
import { startStreamdown } from './streamdown.ts';

/** Characters of the answer, of a post, and milliseconds between posts: 5,000 characters a second. */
const LENGTH = 50_000;
const EVERY = 16;
const POST = 80;
const ROUNDS = 3;
/** For the worker that posts. */
const UNGUARDED = { unguarded: true } as const;

interface Streamed {
  /** Frames a second. */
  readonly fps: number;
  /** Milliseconds of tasks over 50 ms. */
  readonly long: number;
  /** Milliseconds that the main thread worked. */
  readonly busy: number;
  /** Milliseconds from the last post until the end of the text was shown. */
  readonly late: number;
}

/**
 * The chat's page in a real Chromium, against appending the same text to one text node, and against
 * Streamdown: frames, long tasks, CPU and delay while an answer streams, also with the CPU slowed down to a
 * quarter; opening long sessions, against one of 20 messages, and with the host; and reloading a window.
 */
export async function webviewRows(): Promise<readonly Row[]> {
  const browser = await launchChromium();
  try {
    const rows: Row[] = [];
    for (const slowdown of [1, 4]) rows.push(...(await streamingRows(browser, slowdown)));
    const opened = await interleave(5, {
      short: () => openTime(browser, 20),
      long: () => openTime(browser, 2000),
      longest: () => openTime(browser, 5000),
    });
    rows.push(
      row('open 2,000 messages', 'open 20 messages', opened.long / opened.short, 3),
      row('open 5,000 messages', 'open 20 messages', opened.longest / opened.short, 4),
      ...(await openRows(browser)),
      ...(await reloadRows(browser)),
      row('bytes of the first script', '225 KB', firstScript() / 225_000, 1),
    );
    return rows;
  } finally {
    await browser.close();
  }
}

/** Streaming with the CPU slowed down so many times. A thread that has no rest tells nothing of CPU time. */
export async function streamingRows(browser: Browser, slowdown: number): Promise<readonly Row[]> {
  const floor: Streamed[] = [];
  const ours: Streamed[] = [];
  const theirs: Streamed[] = [];
  const run = async (start: (chat: ChatPage) => Promise<void>) =>
    stream(await ChatPage.open(browser, UNGUARDED), slowdown, start);
  for (let round = 0; round < ROUNDS; round += 1) {
    floor.push(await run(startFloor));
    ours.push(await run(startChat));
    if (slowdown === 1) theirs.push(await run(startStreamdown));
  }
  console.log(`streaming, CPU ÷ ${slowdown}:`, JSON.stringify({ floor, ours, theirs }));
  return slowdown === 1 ? fullSpeedRows(floor, ours, theirs) : slowRows(slowdown, floor, ours);
}

const PLAIN = 'plain text';

function fullSpeedRows(floor: Runs, ours: Runs, theirs: Runs): readonly Row[] {
  const [plain, own, other] = [middle(floor), middle(ours), middle(theirs)];
  return [
    row('frames while streaming', PLAIN, plain.fps / own.fps, 1 / 0.95),
    row('CPU while streaming', PLAIN, own.busy / plain.busy, 1.5),
    row('CPU while streaming', 'Streamdown', own.busy / other.busy, 0.55),
    row('long tasks while streaming', `${PLAIN} + 50 ms`, own.long / (plain.long + 50), 1),
    row('shown after the last post', '500 ms', own.late / 500, 1),
  ];
}

function slowRows(slowdown: number, floor: Runs, ours: Runs): readonly Row[] {
  const at = `, CPU ÷ ${slowdown}`;
  const [plain, own] = [middle(floor), middle(ours)];
  return [
    row(`frames while streaming${at}`, PLAIN, plain.fps / own.fps, 1 / 0.9),
    row(`shown after the last post${at}`, '500 ms', own.late / 500, 1),
  ];
}

type Runs = readonly Streamed[];

/** Of each figure the median. */
function middle(runs: Runs): Streamed {
  const pick = (name: keyof Streamed) => median(runs.map((each) => each[name]));
  return { fps: pick('fps'), long: pick('long'), busy: pick('busy'), late: pick('late') };
}

function row(goal: string, anchor: string, ratio: number, limit: number): Row {
  return { goal, anchor, ratio, limit };
}

function firstScript(): number {
  return statSync('dist/webview/webview.js').size;
}

async function stream(
  chat: ChatPage,
  slowdown: number,
  start: (chat: ChatPage) => Promise<void>,
): Promise<Streamed> {
  const { page } = chat;
  const session = await page.context().newCDPSession(page);
  await start(chat);
  await session.send('Performance.enable');
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  const before = await taskTime(session);
  const measured = await page.evaluate(measure, { text: answer(), every: EVERY, size: POST });
  const busy = (await taskTime(session)) - before;
  await chat.close();
  return { ...measured, busy };
}

async function taskTime(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
}

/** The chat with some messages and an answer that begins. */
async function startChat(chat: ChatPage): Promise<void> {
  const open: ChatItem = { kind: 'agent', id: 'open', text: '', done: false };
  await chat.show(chatState([...longChat(5), open], { activity: 'running' }));
}

/** One text node in a box that stays at its end. */
async function startFloor({ page }: ChatPage): Promise<void> {
  await page.evaluate(() => {
    const box = document.createElement('pre');
    box.style.cssText = 'height: 700px; margin: 0; overflow-y: auto; white-space: pre-wrap';
    const text = box.appendChild(document.createTextNode(''));
    document.body.replaceChildren(box);
    window.addEventListener('message', ({ data }) => {
      for (const change of data.changes ?? []) text.appendData(change.text);
      box.scrollTop = box.scrollHeight;
    });
  });
}

/** Runs in the page: posts the text as the extension does, and watches frames and tasks. */
async function measure({
  text,
  every,
  size,
}: {
  text: string;
  every: number;
  size: number;
}): Promise<Omit<Streamed, 'busy'>> {
  let long = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) long += duration;
  }).observe({ type: 'longtask' });
  let frames = 0;
  let counting = true;
  const count = () => {
    frames += 1;
    if (counting) requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
  const start = performance.now();
  // A page's own timers are late when it is busy; those of a worker are not, like the extension's.
  const source = `let n = 0; const t = setInterval(() => { postMessage(n++); if (n > ${Math.ceil(text.length / size)}) clearInterval(t); }, ${every});`;
  const ticks = new Worker(URL.createObjectURL(new Blob([source])));
  await new Promise<void>((resolve) => {
    ticks.onmessage = ({ data }) => {
      const part = text.slice(data * size, (data + 1) * size);
      if (part === '') resolve();
      const changes = [{ type: 'append', id: 'open', text: part }];
      window.postMessage({ type: 'changes', session: 'one', changes }, '*');
    };
  });
  const posted = performance.now();
  const end = text.slice(text.lastIndexOf('\n') + 1);
  while (document.body.textContent?.includes(end) !== true) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  await new Promise((resolve) => requestAnimationFrame(resolve));
  const now = performance.now();
  counting = false;
  ticks.terminate();
  return { fps: (1000 * frames) / (now - start), long, late: now - posted };
}

/** Milliseconds from the post of a session until its end is drawn. */
async function openTime(browser: Browser, messages: number): Promise<number> {
  const chat = await ChatPage.open(browser);
  await chat.show(chatState(longChat(2)), 'other');
  const items = longChat(Math.ceil(messages / 3));
  const end = items.at(-1);
  const text = end !== undefined && 'text' in end ? end.text.slice(0, 12) : '';
  const state = chatState(items);
  const took = await chat.page.evaluate(
    async ({ state, text }) => {
      const start = performance.now();
      window.postMessage({ type: 'snapshot', session: 'one', state, strings: {} }, '*');
      while (document.body.textContent?.includes(text) !== true) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      await new Promise((resolve) => requestAnimationFrame(resolve));
      return performance.now() - start;
    },
    { state, text },
  );
  await chat.close();
  return took;
}

/** An answer with all that makes rendering dear: lists, tables, code and links. */
function answer(): string {
  const parts = Array.from({ length: 400 }, (_, at) =>
    [
      `## Part ${at}\n\nSome **bold** text with \`src/file${at}.ts:${at}\` and [a link](https://a.example/${at}).`,
      Array.from({ length: 12 }, (__, line) => `- item ${line} of list ${at} with *emphasis*`).join(
        '\n',
      ),
      `\`\`\`ts\n${`export const value${at} = compute(${at}, 'text');\n`.repeat(15)}\`\`\``,
      `| a | b |\n|--:|---|\n${`| ${at} | cell |\n`.repeat(6)}`,
      'A longer paragraph that goes on for some time, as answers of models do. '.repeat(6),
    ].join('\n\n'),
  );
  return `${parts.join('\n\n').slice(0, LENGTH)}\n\nThe end of it all.`;
}
