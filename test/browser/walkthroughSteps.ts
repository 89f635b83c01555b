import type { Locator } from 'playwright-core';
import { again, clickUntil, LOST } from '../workbench/processes.ts';
import type { Workbench } from '../workbench/workbench.ts';
import { pick } from './pick.ts';
import type { TourWalk } from './tourSteps.ts';

/** Each step of *Get Started with Gatehouse*: its button, and what that shows. */
const STEPS: readonly {
  readonly title: string;
  readonly button: string;
  shows(walk: TourWalk): Locator;
}[] = [
  {
    title: 'Choose a model',
    button: 'Set Model…',
    shows: ({ workbench }) => workbench.quickInput,
  },
  {
    title: 'Ask for something',
    button: 'Open Chat',
    shows: ({ chat }) => chat.composer.and(chat.frame.locator(':focus')),
  },
  {
    title: 'Review what it wants to change',
    button: 'Open Chat',
    shows: ({ chat }) => chat.composer.and(chat.frame.locator(':focus')),
  },
  {
    title: 'Choose what runs without asking',
    button: 'Show Shipped Rules',
    shows: ({ workbench }) => workbench.tab(/rules/i),
  },
  {
    title: 'Come back to any session',
    button: 'Open Session…',
    shows: ({ workbench }) =>
      workbench.quickInput
        .locator('.monaco-list-row')
        .filter({ hasText: 'ago' })
        .or(workbench.quickInput.locator('.monaco-list-row').filter({ hasText: 'just now' })),
  },
];

/** Follows the walkthrough with the mouse: each step's button shows what it promises. */
export async function walkWalkthrough(walk: TourWalk): Promise<void> {
  const { workbench } = walk;
  for (const [index, { title, button, shows }] of STEPS.entries()) {
    await openWalkthrough(workbench);
    const step = workbench.page.locator('.getting-started-step').filter({ hasText: title });
    const target = step.getByRole('button', { name: button, exact: true });
    await clickUntil('the step', step.locator('.step-title').first(), () => target.isVisible());
    await workbench.screenshot(`walkthrough-${index}`);
    await clickUntil(`what ${button} shows`, target, () => shows(walk).first().isVisible());
    await workbench.screenshot(`walkthrough-${index}-done`);
    if (await workbench.quickInput.isVisible()) await workbench.hideQuickInput();
  }
}

async function openWalkthrough(workbench: Workbench): Promise<void> {
  const heading = workbench.page.locator('.getting-started-step').first();
  if (await heading.isVisible()) return;
  await again(
    'the walkthrough',
    async () => {
      await workbench.run('Welcome: Open Walkthrough');
      await workbench.row('Get Started with Gatehouse').waitFor({ timeout: LOST });
      await pick(workbench, 'Get Started with Gatehouse');
    },
    () => heading.isVisible(),
  );
}
