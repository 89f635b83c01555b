import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { PermissionAsk } from '../../src/webview/messages/asks.ts';
import type { Attached } from '../../src/webview/messages/attached.ts';
import type { ChatItem, ChatState } from '../../src/webview/messages/chatState.ts';
import { ChatPage } from '../workbench/chatPage.ts';
import { RESULTS } from '../workbench/paths.ts';
import { themed } from '../workbench/themes.ts';
import { LOOKS } from '../workbench/variants.ts';
import { findPageFaults } from './axe.ts';
import { chatState, longChat, toolItem } from './chatState.ts';
import { sharedBrowser } from './sharedBrowser.ts';

/** Of the page; the last is a side bar of 400 pixels in a window of 1,000 at 200 %. */
const SIZES = [
  { width: 220, height: 800 },
  { width: 400, height: 800 },
  { width: 900, height: 800 },
  { width: 200, height: 500 },
];

const CHIPS: readonly Attached[] = [
  { id: 'one', kind: 'selection', label: 'app.ts:10–42' },
  { id: 'two', kind: 'problems', label: 'Problems' },
  { id: 'three', kind: 'image', label: 'a-screenshot-with-a-long-name.png' },
].map((chip) => ({ ...chip }) as Attached);

const CONVERSATION: readonly ChatItem[] = [
  ...longChat(2),
  {
    ...{ kind: 'compaction', id: 'compacted', status: 'completed', messages: 8 },
    text: '## What was asked\n\nThe user wants the **tests green**.\n\n- `src/sum.js:3` starts at 1.\n- Nothing else fails.',
  },
  { kind: 'user', id: 'fork', text: 'Then run all the tests of the workspace', done: true },
  toolItem('build', {
    title: 'npm run build',
    status: 'in_progress',
    startedAt: Date.now() - 72_000,
    output: 'ok',
  }),
];

const FULL = { usage: { used: 170_400, size: 200_000, cacheRead: 90_000, cacheWrite: 1_000 } };

/** What was added since the walk through the whole chat was drawn. */
const SCENES: Readonly<Record<string, Partial<ChatState>>> = {
  queue: {
    ...FULL,
    activity: 'running',
    queue: [
      { id: 'a', text: 'And then the linter, with all of its warnings', attachments: 1 },
      { id: 'b', text: 'Commit', steered: true },
      { id: 'c', text: 'Then look at https://example.com/a/long/address/without/any/space' },
    ],
    removed: { id: 'd', text: 'Push the branch to the fork and open a pull request' },
  },
  failed: {
    ...FULL,
    items: [
      ...CONVERSATION,
      {
        ...{ kind: 'error', id: 'failed', retry: true, helps: 'chooseModel' },
        text: 'The provider has no such model, or it is not available to this account.',
        ...{ commands: ['chooseModel'], next: { ref: 'ollama:q', name: 'qwen3-coder:30b-a3b-q4' } },
      },
    ],
  },
  paused: {
    usage: { used: 12_300, size: 0 },
    queue: [{ id: 'a', text: 'Then the linter' }],
    queuePaused: true,
  },
  'time-out': {
    ...FULL,
    activity: 'running',
    request: { askId: 'limit', position: 1, total: 1, agent: 'Gatehouse', session: 'Fix it' },
    asks: [
      {
        ...{ kind: 'question', id: 'limit', since: 0 },
        message:
          '"npm run build" is still running after 2 minutes, its time limit. If you skip this question, it continues. Without an answer within 2 minutes, it is stopped.',
        fields: [
          {
            ...{ key: 'question_0', title: 'Still running', required: false },
            input: {
              ...{ type: 'choice', multiple: false },
              choices: [
                { value: 'go', label: 'Continue 2 More Minutes' },
                { value: 'bg', label: 'Continue in Background' },
                { value: 'stop', label: 'Stop' },
              ],
            },
          },
        ],
      },
    ],
  },
};

const PERMISSION: PermissionAsk = {
  ...{ kind: 'permission', id: 'p', toolCallId: 'c', title: 'Publish', toolKind: 'execute' },
  ...{ subject: 'npm test && npm publish --access public', length: 39, suspicious: false },
  why: 'No rule covers `npm publish --access public`.',
  parts: [
    { text: 'npm test', decision: 'allow' },
    {
      ...{ text: 'npm publish --access public', decision: 'ask', risk: 'network' },
      reason: 'No rule covers it, and it contacts hosts that no rule names.',
    },
  ],
  ...{ diff: false, diffs: [], since: 0 },
  edit: { form: 'command', text: 'npm test && npm publish --access public' },
  options: [
    { optionId: 'once', name: 'Once', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ],
  offers: { allow: [], deny: [] },
};

/** A plan is allowed, edited as a document, or approved and built. */
const PLAN: PermissionAsk = {
  ...PERMISSION,
  ...{ title: 'Plan', toolKind: 'switch_mode', subject: 'plan.md', length: 7, parts: [] },
  ...{ why: 'A plan is read before it is carried out.', diff: true },
  edit: { form: 'json', text: '{}' },
  diffs: [
    {
      ...{ path: '/w/plan.md', label: 'plan.md', added: 9, removed: 0, created: true, more: 4 },
      document: true,
      rows: [
        '# Make the tests green',
        '',
        '1. Start the total of `src/sum.js` at 0, because the sum of no numbers is 0.',
        '2. Run `npm test`, and look at each failure that is left.',
        '3. Say what was changed.',
      ].map((text) => ({ sign: '+', text })),
    },
  ],
};

/** An edit of a file with long lines, and one of a new file. */
const REVIEW: PermissionAsk = {
  ...PERMISSION,
  ...{ title: 'Edit 2 files', toolKind: 'edit', subject: 'src/sum.js', length: 10, parts: [] },
  ...{ why: 'No rule covers `src/sum.js`.', diff: true },
  edit: { form: 'json', text: '{}' },
  diffs: [
    {
      ...{ path: '/w/packages/core/src/arithmetic/sum.js', added: 1, removed: 1, more: 0 },
      ...{ label: 'packages/core/src/arithmetic/sum.js', created: false },
      rows: [
        { sign: ' ', text: 'export function sum(numbers) {' },
        { sign: '-', text: '  return numbers.reduce((total, each) => total + each, 1);' },
        { sign: '+', text: '  return numbers.reduce((total, each) => total + each, 0);' },
        { sign: ' ', text: '}' },
      ],
    },
    {
      ...{ path: '/w/notes.md', label: 'notes.md', added: 1, removed: 0, created: true, more: 0 },
      rows: [{ sign: '+', text: 'The sum of no numbers is 0.' }],
    },
  ],
};

/** What a command changed in its copy of the workspace, and what no diff can show. */
const COPY: PermissionAsk = {
  ...REVIEW,
  ...{
    title: 'Changes of npm run build',
    toolKind: 'execute',
    subject: 'npm run build',
    length: 13,
  },
  why: '`npm run build` ran in a copy of the workspace. Its changes are not yet in your files.',
  entries: [
    { id: 'a', text: 'Binary file `dist/logo-of-the-product.png`, 18 KB', kept: true },
    { id: 'b', text: 'Link `node_modules/.bin/tsc` to `../typescript/bin/tsc`', kept: false },
    { id: 'c', text: '`scripts/run.sh` becomes executable', kept: true },
  ],
};

const CHOICES = [
  [
    'Vitest',
    'Fast, and it reads the configuration of Vite. Existing Jest tests need small changes.',
  ],
  ['Jest', 'What the other packages of this repository use.'],
  ['The test runner of Node', 'No dependency at all, but no snapshots of components.'],
  ['aVeryLongNameWithoutAnySpaceThatHasToBreakSomewhereInANarrowSideBar', ''],
].map(([label = '', description = '']) => ({
  ...{ value: label, label },
  ...(description !== '' && { description }),
}));

const QUESTION: Partial<ChatState> = {
  ...FULL,
  activity: 'running',
  request: { askId: 'q', position: 1, total: 1, agent: 'Gatehouse', session: 'Fix it' },
  asks: [
    {
      ...{ kind: 'question', id: 'q', since: 0 },
      message:
        'The package has no tests yet. Which test runner should it use, given that the build runs on Vite and the other packages of the repository have their own?',
      fields: [
        {
          ...{ key: 'runner', title: 'Test runner', required: true, otherKey: 'runner_other' },
          description: 'It is added to the development dependencies.',
          input: { type: 'choice', multiple: false, choices: CHOICES },
        },
        {
          ...{ key: 'parts', title: 'What to test first', required: false },
          input: { type: 'choice', multiple: true, choices: CHOICES.slice(0, 2) },
        },
      ],
    },
  ],
};

const toScene = (ask: PermissionAsk): Partial<ChatState> => ({
  ...{ ...FULL, activity: 'running', asks: [ask] },
  request: { askId: 'p', position: 1, total: 2, agent: 'plan', session: 'Fix the sum' },
});

const ALL = {
  ...SCENES,
  question: QUESTION,
  permission: toScene(PERMISSION),
  plan: toScene(PLAN),
  review: toScene(REVIEW),
  copy: toScene(COPY),
};

for (const theme of LOOKS) {
  test(`queue, gauge, chips, compaction, fork, error, questions, a permission, a plan and reviews fit in ${theme}, and axe finds no fault`, async (t) => {
    for (const [name, change] of Object.entries<Partial<ChatState>>(ALL)) {
      const page = await ChatPage.open(await sharedBrowser());
      t.after(() => page.close());
      await themed(page.page, theme);
      await page.show(chatState(change.items ?? CONVERSATION, change));
      await page.post({ type: 'focusComposer', session: 'one', text: '', attached: CHIPS });
      await page.page.getByRole('list', { name: 'Attached' }).getByRole('button').nth(2).waitFor();
      if (name === 'plan') {
        await page.page.getByRole('button', { name: 'Approve and Build' }).waitFor();
        // A plan is no file of the workspace.
        assert.equal(await page.page.getByText('new file').count(), 0);
      }
      await page.page.locator('summary').first().click();
      for (const { width, height } of SIZES) {
        await page.page.setViewportSize({ width, height });
        await page.kept();
        await page.page.locator('article[data-kind="user"]').last().hover();
        await page.page.screenshot({
          path: path.join(RESULTS, 'screenshots', `surface-${name}-${theme}-${width}.png`),
        });
        assert.deepEqual(await findFaults(page), [], `${name} at ${width}`);
        if (width === 400) assert.deepEqual(await findPageFaults(page.page), [], name);
      }
      assert.deepEqual(await page.faults(), []);
      await page.close();
    }
  });
}

/** What is wider than the page, too low to be hit, or takes the transcript's part of the height. */
function findFaults({ page }: ChatPage): Promise<readonly string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) faults.push(`page of ${root.scrollWidth}`);
    const share = (document.querySelector('[role="log"]')?.clientHeight ?? 0) / root.clientHeight;
    if (share < 0.4) faults.push(`transcript of ${share}`);
    for (const each of document.querySelectorAll('article, [data-ask], .queue li')) {
      const { width, height, right } = each.getBoundingClientRect();
      if (width > 0 && height < 24) faults.push(`${each.className} is ${height} high`);
      if (right > root.clientWidth + 1) faults.push(`${each.className} ends at ${right}`);
    }
    for (const text of document.querySelectorAll('.queue li > .queue-text')) {
      const { width } = text.getBoundingClientRect();
      if (width < 60) faults.push(`"${text.textContent}" is ${width} wide`);
    }
    for (const button of document.querySelectorAll<HTMLElement>('button')) {
      const { right, width } = button.getBoundingClientRect();
      if (width > 0 && right > root.clientWidth + 1)
        faults.push(`${button.ariaLabel ?? button.textContent}`);
    }
    return faults;
  });
}
