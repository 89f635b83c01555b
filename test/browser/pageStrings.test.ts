import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { PermissionAsk, QuestionAsk } from '../../src/webview/messages/asks.ts';
import type { ChatItem, ChatState, StateChange } from '../../src/webview/messages/chatState.ts';
import type { Strings } from '../../src/webview/messages/stringKeys.ts';
import { ChatPage, STRINGS } from '../workbench/chatPage.ts';
import { until } from '../workbench/processes.ts';
import { chatState, toolItem } from './chatState.ts';
import { sharedBrowser } from './sharedBrowser.ts';

/** Every string of the chat between marks, so that text without them is no string of ours. */
const PSEUDO = Object.fromEntries(
  Object.entries(STRINGS).map(([key, text]) => [key, `⟦${text}⟧`]),
) as Strings;

/** Text that agents and users wrote holds this sign, and digits and signs are no words. */
const DATA = 'ð';

const items: readonly ChatItem[] = [
  { kind: 'user', id: 'u', text: 'ð question', done: true },
  { kind: 'thought', id: 't', text: 'ð thought', done: true },
  {
    kind: 'agent',
    id: 'a',
    text: 'ð answer\n\n```ðlang\nð code\n```\n\n- [x] ð',
    done: true,
    cut: 3,
  },
  toolItem('r1', { title: 'ð read', toolKind: 'read', output: 'ð' }),
  toolItem('r2', { title: 'ð search', toolKind: 'search', output: 'ð' }),
  toolItem('x', {
    ...{ title: 'ð run', status: 'failed', output: 'ð', outputCut: true, command: 'ð' },
    ...{ terminals: ['ð'], rule: 'ð', allowedByUser: true, isolation: 'copy', ended: 2 },
  }),
  toolItem('e', {
    ...{ title: 'ð edit', toolKind: 'edit', output: '' },
    diffs: [{ path: 'ð', label: 'ð', added: 1, removed: 0, created: true, rows: [], more: 2 }],
  }),
  { kind: 'note', id: 'n', text: 'ð note' },
  {
    ...{ kind: 'error', id: 'err', text: 'ð', detail: 'ð', retry: true, continues: true },
    commands: ['setModel', 'setApiKey', 'showLog'],
  },
];

const permission: PermissionAsk = {
  ...{ kind: 'permission', id: 'p', toolCallId: 'x', title: 'ð', subject: 'ð', length: 900 },
  ...{ toolKind: 'execute', suspicious: true, why: 'ð', since: 0, cwd: 'ð', isolation: 'copy' },
  near: { text: 'ð', rule: { text: 'ð' } as never },
  parts: [
    { text: 'ð1', decision: 'allow' },
    { text: 'ð2', decision: 'ask', reason: 'ð' },
    { text: 'ð3', decision: 'deny', reason: 'ð' },
  ],
  diff: true,
  diffs: [
    {
      ...{ path: 'ð', label: 'ð', added: 1, removed: 0, created: true, more: 2 },
      rows: [
        { sign: '+', text: 'ð' },
        { sign: 'gap', lines: 4 },
      ],
    },
  ],
  entries: [{ id: 'e', text: 'ð', kept: true } as never],
  options: [
    { optionId: 'allow', name: 'ð', kind: 'allow_once' } as never,
    { optionId: 'always', name: 'ð', kind: 'allow_always' } as never,
    { optionId: 'deny', name: 'ð', kind: 'reject_once' } as never,
  ],
  offers: { allow: [], deny: [] },
};

const question: QuestionAsk = {
  ...{ kind: 'question', id: 'q', message: 'ð', since: 0 },
  fields: [
    { key: 'a', title: 'ð', required: true, input: { type: 'text' } },
    {
      ...{ key: 'b', title: 'ð', required: false, otherKey: 'c' },
      input: { type: 'choice', multiple: false, choices: [{ value: 'v', label: 'ð' }] },
    },
  ],
};

const full = (change: Partial<ChatState>): ChatState =>
  chatState(items, {
    header: { model: '', tour: true },
    workspace: { trusted: false, folder: false, brokenRules: 2, waitingRules: 3 },
    plan: [{ content: 'ð', status: 'in_progress' }],
    unreviewed: [{ path: 'ð', label: 'ð', kind: 'changed', added: 1, removed: 1 }],
    queue: [{ id: 'k', text: 'ð' }],
    title: 'ð',
    ...change,
  });

for (const [name, ask] of [
  ['a permission', permission],
  ['a question', question],
] as const) {
  test(`every word of the chat comes from its strings, with ${name}`, async (t) => {
    const page = await ChatPage.open(await sharedBrowser(), { height: 3000 });
    t.after(() => page.close());
    const request = { askId: ask.id, position: 1, total: 2, agent: 'ð', session: 'ð' };
    await page.show(full({ asks: [ask], request, activity: 'running' }), 'one', PSEUDO);
    await page.page.locator('[data-ask]').waitFor();
    assert.deepEqual(await findOtherWords(page), []);
    for (let at = 0; at < 12; at += 1) {
      // One that opens may close another.
      await page.page.evaluate((index) => {
        const toggles = document.querySelectorAll<HTMLElement>('[aria-expanded="false"], summary');
        toggles[index]?.click();
      }, at);
      assert.deepEqual(await findOtherWords(page), []);
    }
    assert.deepEqual(await page.faults(), []);
  });
}

test('for 10 s after a turn the page has nothing to do: no timer, no frame, no post, no task', async (t) => {
  const page = await ChatPage.open(await sharedBrowser());
  t.after(() => page.close());
  const answer: ChatItem = { kind: 'agent', id: 'answer', text: '', done: false };
  await page.show(chatState([...items, answer], { activity: 'running' }));
  const text = '```ts\nlet a = 1;\n```\n\nDone.';
  const change = (changes: readonly StateChange[]) =>
    page.post({ type: 'changes', session: 'one', changes });
  await change([{ type: 'append', id: 'answer', text }]);
  await change([
    { type: 'mark', id: 'answer', done: true },
    { type: 'set', values: { activity: 'idle' } },
  ]);
  await page.page.locator('.markdown [class*="hljs-"], .markdown code span').first().waitFor();
  await until('no work', async () => (await page.pendingWork()).length === 0 || undefined);
  await page.posted();
  const session = await page.page.context().newCDPSession(page.page);
  await session.send('Performance.enable');
  const script = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? Number.NaN;
  };
  const [asked, before] = [await page.askedWork(), await script()];
  await delay(10_000);
  const busy = (await script()) - before;
  assert.deepEqual([await page.pendingWork(), await page.posted()], [[], []]);
  assert.equal((await page.askedWork()) - asked, 0);
  // The measuring itself runs a script of a moment.
  assert.ok(busy < 0.05, `${busy} s of scripts`);
});

/** Words outside of marks that no agent or user wrote. */
function findOtherWords(page: ChatPage): Promise<readonly string[]> {
  return page.page.evaluate((data) => {
    const texts: string[] = [];
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
      const parent = node.parentElement;
      if (parent?.closest('script, style') === null) texts.push(node.nodeValue ?? '');
    }
    for (const element of document.body.querySelectorAll('*')) {
      for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
        texts.push(element.getAttribute(name) ?? '');
      }
    }
    // A string may be part of another one.
    const inner = /⟦[^⟦⟧]*⟧/g;
    return texts
      .map((text) => text.replace(inner, '').replace(inner, ''))
      .filter((text) => /\p{L}/u.test(text) && !text.includes(data));
  }, DATA);
}
