import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ARMED } from './pick.ts';
import { openScene, type Scene } from './scene.ts';

/** Each tool of the tour's `#tools` with the kind its card shows, in the order of the calls. */
const CARDS: readonly (readonly [kind: string, status: string, title: RegExp])[] = [
  ['search', 'completed', /\*\*\/\*\.js/],
  ['search', 'completed', /total/],
  ['read', 'completed', /sum\.js/],
  ['edit', 'completed', /NOTES\.md/],
  ['edit', 'completed', /NOTES\.md/],
  ['execute', 'completed', /List the workspace/],
  ['fetch', 'completed', /tour\/page/],
  ['fetch', 'failed', /No search provider is set up/],
  ['other', 'completed', /The fix/],
];

test('every kind of tool call has its card, and the plan stands above', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat, model, sample } = scene;
  model.tour();
  await chat.send('#tools');
  await approveUntil(scene, 'That was one call of each');
  await chat.idle();

  const cards = await chat.items('tool').evaluateAll((found) =>
    found.map((card) => ({
      kind: card.getAttribute('data-tool-kind'),
      status: card.getAttribute('data-status'),
      text: card.textContent ?? '',
    })),
  );
  for (const [kind, status, title] of CARDS) {
    const match = cards.some(
      (card) => card.kind === kind && card.status === status && title.test(card.text),
    );
    assert.ok(match, `${kind} ${status} ${title}\n${JSON.stringify(cards, undefined, 1)}`);
  }
  await chat.frame.getByRole('region', { name: 'Plan' }).getByText('Write the notes').waitFor();
  const notes = path.join(sample.folder, 'NOTES.md');
  assert.ok(existsSync(notes));
  assert.equal(readFileSync(notes, 'utf8'), '# Notes\n\nEdited by the tour.\n');
  await workbench.resizeSideBar(600);
  await workbench.screenshot('cards');
});

async function approveUntil({ workbench, chat }: Scene, end: string): Promise<void> {
  const deadline = Date.now() + 120_000;
  const said = chat.items('agent').filter({ hasText: end });
  while ((await said.count()) === 0) {
    assert.ok(Date.now() < deadline, `The agent did not say "${end}".`);
    for (const label of ['Allow once', 'Fix the code']) {
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
