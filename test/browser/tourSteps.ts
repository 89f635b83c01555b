import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Chat } from '../workbench/chat.ts';
import { clickUntil, pause, until } from '../workbench/processes.ts';
import type { Workbench } from '../workbench/workbench.ts';
import { press } from './card.ts';
import { ARMED } from './pick.ts';
import { allowInTitle } from './reviewEditor.ts';

/** A newcomer in the window that `npm start` serves. */
export interface TourWalk {
  readonly workbench: Workbench;
  readonly chat: Chat;
  /** The file that the tour mends. */
  readonly buggy: string;
}

const BUGGY = 'let total = 1;';
const FIXED = 'let total = 0;';

/** What the tour promises of its other ends: an explanation alone, and an edit that is denied. */
export async function declineTour(walk: TourWalk): Promise<void> {
  const { chat, workbench } = walk;
  await chat.frame.getByText('scripted tour').first().waitFor();
  await workbench.screenshot('start');
  await chat.send('hello');
  await chat.said('I change and run nothing without your approval.');
  await chat.send('fix the failing test');
  await answer(walk, 'Only explain');
  await chat.said('Then I leave it at that. Nothing was changed.');
  await chat.idle();
  await chat.send('fix the failing test');
  await answer(walk, 'Fix the code');
  await chat.permission('sum.js').waitFor();
  await press(walk, 'Deny…');
  await press(walk, 'Deny');
  await chat.said('The edit was not made');
  await chat.idle();
}

/** The tour from its suggestion to its end, with the mouse alone. */
export async function walkTour(walk: TourWalk): Promise<void> {
  const { chat, workbench } = walk;
  const suggestion = chat.button('Fix the failing test');
  await clickUntil('the message', suggestion, async () => (await chat.items('user').count()) > 0);
  await chat.said('start with the test that fails');
  await chat.log.getByText('Read 2 files').waitFor();
  await chat.said('The test is right and the code is not.');
  await answer(walk, 'Fix the code');
  await review(walk);
  await runTest(walk);
  await chat.said('Fixed: the test passes.');
  await chat.idle();
  await chat.items('agent').last().getByRole('table').waitFor();
  await workbench.screenshot('start-end');
  await workbench.run('Gatehouse: Focus on Permissions View');
  const rules = workbench.page.locator('.pane-body .monaco-list-row[aria-label^="bash"]');
  await rules.first().waitFor();
  await workbench.screenshot('start-permissions');
}

/** Answers the question in its card. */
async function answer({ chat }: TourWalk, option: string): Promise<void> {
  const card = chat.question('How shall I go on?');
  await card.waitFor();
  const choice = card.getByRole('radio', { name: option });
  const isChosen = () => choice.isChecked();
  await clickUntil('the choice', choice, isChosen);
  await pause(ARMED);
  const isAnswered = async () => (await card.count()) === 0;
  await clickUntil('the answer', card.getByRole('button', { name: 'Answer' }), isAnswered);
}

/** The card shows the change, the diff shows it in the editor, and the file has it once allowed. */
async function review({ chat, workbench, buggy }: TourWalk): Promise<void> {
  const card = chat.permission('sum.js');
  await card.getByText(FIXED).waitFor();
  await clickUntil('the diff', card.getByRole('button', { name: 'Show Diff' }), () =>
    workbench.diff.isVisible(),
  );
  const shows = async (side: 'original' | 'modified', text: string) =>
    (await workbench.diffText(side)).some((line) => line.includes(text));
  await until('the line as it is', () => shows('original', BUGGY));
  await until('the proposed line', () => shows('modified', FIXED));
  assert.ok(readFileSync(buggy, 'utf8').includes(BUGGY), 'nothing is written before an answer');
  await workbench.screenshot('start-diff');
  await allowInTitle(workbench);
  await until('the edit on disk', () => readFileSync(buggy, 'utf8').includes(FIXED));
}

/** The command runs after it is allowed, and its terminal shows what it printed. */
async function runTest(walk: TourWalk): Promise<void> {
  const { chat, workbench } = walk;
  await chat.permission('node --test').waitFor();
  const card = chat.card('Run the tests');
  await chat.status(card, 'pending');
  await press(walk, 'Allow');
  await chat.status(card, 'completed');
  await chat.expand(card);
  await clickUntil(
    'the test run in the terminal',
    card.getByRole('button', { name: 'Show Terminal' }),
    async () => /pass 2/.test(await workbench.terminalText()),
  );
  await workbench.screenshot('start-terminal');
}
