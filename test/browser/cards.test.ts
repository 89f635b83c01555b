import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import type { Chat } from '../workbench/chat.ts';
import { clickUntil, PATIENCE, until } from '../workbench/processes.ts';
import { LOOKS } from '../workbench/variants.ts';
import { ARMED } from './pick.ts';
import { openScene, type Scene } from './scene.ts';

interface Card {
  readonly name: string;
  /** The tool's kind, as the protocol names it. */
  readonly kind: string;
  readonly status?: 'completed' | 'failed';
  /** In the line that shows when the card is closed. */
  readonly title: RegExp;
  /** In the open card: what the user looks for there. */
  readonly shows: readonly string[];
  /** The names of its buttons. */
  readonly buttons?: readonly string[];
  /** It opens by itself. */
  readonly open?: true;
}

/** Each tool of the tour's `#tools`, and what its card shows, in the order of the calls. */
const CARDS: readonly Card[] = [
  { name: 'other: the list', kind: 'other', title: /Plan: 1 of 3 done/, shows: [] },
  { name: 'search by name', kind: 'search', title: /\*\*\/\*\.js/, shows: ['src/sum.js'] },
  { name: 'search in files', kind: 'search', title: /total/, shows: ['src/sum.js:', 'total = 1'] },
  { name: 'read', kind: 'read', title: /Read src\/sum\.js/, shows: ['export function sum'] },
  {
    name: 'edit: the diff of a new file',
    kind: 'edit',
    title: /Write NOTES\.md/,
    shows: ['+3', '−0', 'new file', '+ Written by the tour.'],
    buttons: ['Show Diff'],
    open: true,
  },
  {
    name: 'edit: the diff',
    kind: 'edit',
    title: /Edit NOTES\.md/,
    shows: ['+1', '−1', '− Written by the tour.', '+ Edited by the tour.'],
    buttons: ['Show Diff'],
    open: true,
  },
  {
    name: 'execute: the command, what it printed and its terminal',
    kind: 'execute',
    title: /List the workspace/,
    shows: ['ls', 'README.md'],
    buttons: ['Show Terminal'],
  },
  { name: 'fetch', kind: 'fetch', title: /tour\/page/, shows: ['the same loopback server'] },
  {
    name: 'failed: the reason',
    kind: 'fetch',
    status: 'failed',
    title: /agent client protocol/,
    shows: ['No search provider is configured'],
    open: true,
  },
  { name: 'question: the answer', kind: 'other', title: /The fix/, shows: ['Fix the code'] },
];

test('every kind of tool call has its card: read, edit, execute, search, fetch, question, failed', async (t) => {
  // So tall that all open cards are in one picture.
  const scene = await openScene(t, { fresh: true, height: 2600 });
  const { workbench, chat, model, sample } = scene;
  model.tour();
  await chat.send('#tools');
  await approveUntil(scene, 'That was one call of each');
  await chat.idle();
  const notes = path.join(sample.folder, 'NOTES.md');
  assert.ok(existsSync(notes));
  assert.equal(readFileSync(notes, 'utf8'), '# Notes\n\nEdited by the tour.\n');

  const cards = chat.items('tool');
  assert.equal(await cards.count(), CARDS.length);
  for (const [index, card] of CARDS.entries()) await isShown(chat, card, cards.nth(index));
  const plan = chat.frame.getByRole('region', { name: 'Plan' });
  // One line until it is opened.
  const first = plan.getByRole('listitem').first();
  await clickUntil('the opened plan', plan.locator('summary'), () => first.isVisible());
  await plan.getByRole('listitem').filter({ hasText: 'running: Write the notes' }).waitFor();

  model.script({ reasoning: 'I weigh both ways.', text: 'I have thought.' });
  await chat.send('think');
  await chat.said('I have thought.');
  await chat.idle();
  const thought = chat.items('thought').getByText('I weigh both ways.');
  await clickUntil('the thought', chat.items('thought').last().locator('summary'), () =>
    thought.isVisible(),
  );

  for (const theme of LOOKS) {
    await workbench.useTheme(theme);
    for (const [width, pixels] of [['narrow', 300] as const, ['wide', 800] as const]) {
      await workbench.resizeSideBar(pixels);
      await workbench.screenshot(`cards-${theme}-${width}`);
      await until(`nothing wider than its place in ${theme} ${width}`, async () => {
        return (await overflowing(chat.log)).length === 0;
      });
    }
  }
});

async function isShown(chat: Chat, card: Card, found: Locator): Promise<void> {
  const { kind, status = 'completed', open = false } = card;
  assert.deepEqual(
    {
      kind: await found.getAttribute('data-tool-kind'),
      status: await found.getAttribute('data-status'),
      open: (await found.locator('.tool-toggle').getAttribute('aria-expanded')) === 'true',
    },
    { kind, status, open },
    card.name,
  );
  assert.match(await found.locator('.tool-name').innerText(), card.title, card.name);
  await chat.expand(found);
  for (const part of card.shows) {
    await until(`${card.name}: ${part}`, async () => (await found.innerText()).includes(part));
  }
  for (const name of card.buttons ?? []) await found.getByRole('button', { name }).waitFor();
}

/** What is wider than the conversation it stands in; boxes that scroll keep theirs to themselves. */
function overflowing(log: Locator): Promise<readonly string[]> {
  return log.evaluate((element) => {
    const edge = element.getBoundingClientRect().right + 1;
    return [...element.querySelectorAll('*')]
      .filter((each) => !each.parentElement?.closest('pre, .table'))
      .filter((each) => each.getBoundingClientRect().right > edge)
      .map((each) => `${each.tagName} ${each.className}`);
  });
}

/** Answers each request in a pick, which is opened if none opens by itself. */
async function approveUntil({ workbench, chat }: Scene, end: string): Promise<void> {
  const deadline = Date.now() + 2 * PATIENCE;
  const said = chat.items('agent').filter({ hasText: end });
  while ((await said.count()) === 0) {
    assert.ok(Date.now() < deadline, `The agent did not say "${end}".`);
    const asks = (await chat.permission().count()) + (await chat.question().count());
    if (asks > 0 && !(await workbench.quickInput.isVisible()))
      await workbench.page.keyboard.press('Control+Alt+P');
    for (const label of ['Allow Once', 'Fix the code']) {
      if (!(await workbench.row(label).isVisible())) continue;
      await workbench.page.waitForTimeout(ARMED);
      await workbench
        .row(label)
        .click({ timeout: 2000 })
        .catch(() => undefined);
    }
    await workbench.page.waitForTimeout(100);
  }
}
