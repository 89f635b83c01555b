import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { until } from '../workbench/processes.ts';
import type { Theme } from '../workbench/workbench.ts';
import { openScene, type Scene } from './scene.ts';

const QUESTION = {
  questions: [
    {
      question: 'May I change the code, or only the test?',
      header: 'What to change',
      options: [
        { label: 'The code', description: 'sum() starts at one' },
        { label: 'The test', description: 'Expect what it gives now' },
      ],
    },
  ],
};
const EDIT = { path: 'src/sum.js', old_string: 'let total = 1;', new_string: 'let total = 0;' };
const WALK = [
  {
    text: 'I will look at the test and at the code it tests.',
    calls: [
      { tool: 'read', input: { path: 'test/sum.test.js' } },
      { tool: 'read', input: { path: 'src/sum.js' } },
    ],
  },
  { calls: [{ tool: 'question', input: QUESTION }] },
  {
    text: 'The sum starts at one. I will let it start at zero.',
    calls: [{ tool: 'edit', input: EDIT }],
  },
  { calls: [{ tool: 'bash', input: { command: 'node --test', description: 'Run the tests' } }] },
  { text: 'The **test passes** now: `sum` starts at zero.' },
];
const BUGGY = 'let total = 1;';

test('a user has the failing test fixed, and nothing happens before it is approved', async () => {
  const scene = await openScene();
  const { workbench, chat, model, sample } = scene;
  const before = readFileSync(sample.buggy, 'utf8');
  model.script(...WALK);

  await chat.send('fix the failing test');
  await chat.said('I will look at the test');
  await pick(scene, 'The code', 'What to change');

  // The proposal is a real diff, and the file is as it was.
  await workbench.row('Allow once').waitFor();
  assert.equal(readFileSync(sample.buggy, 'utf8'), before);
  await pick(scene, 'Show diff');
  await workbench.diff.waitFor();
  await until(
    'the proposed line',
    async () =>
      (await workbench.diffText('modified')).some((line) => line.includes('let total = 0;')) ||
      undefined,
  );
  assert.ok((await workbench.diffText('original')).some((line) => line.includes(BUGGY)));
  assert.equal(readFileSync(sample.buggy, 'utf8'), before);
  await workbench.screenshot('walk-diff');

  await workbench.run('Gatehouse: Go to Next Pending');
  await pick(scene, 'Allow once');
  await until('the edit on disk', () => readFileSync(sample.buggy, 'utf8') !== before || undefined);
  assert.equal(readFileSync(sample.buggy, 'utf8'), before.replace(BUGGY, EDIT.new_string));

  await workbench.row('Allow once').waitFor();
  await pick(scene, 'Allow once');
  const card = chat.card('node --test');
  await chat.status(card, 'completed');
  await card.getByRole('button', { name: 'Show terminal' }).click();
  await until(
    'the test run in the terminal',
    async () => /pass 2/.test(await workbench.terminalText()) || undefined,
  );
  await chat.said('The test passes now');
  await chat.idle();
  await workbench.screenshot('walk-end');

  const [, , third] = model.requests;
  assert.deepEqual(third?.conversation.results.at(-1)?.data, { answers: [['The code']] });
});

for (const theme of ['light', 'dark', 'highContrast', 'highContrastLight'] satisfies Theme[]) {
  test(`the walk can be read in ${theme}`, async () => {
    const scene = await openScene();
    const { workbench, chat, model } = scene;
    await workbench.useTheme(theme);
    model.script(...WALK);
    await chat.send('fix the failing test');
    await workbench.row('The code').waitFor();
    await workbench.screenshot(`${theme}-question`);
    await pick(scene, 'The code');
    await workbench.row('Allow once').waitFor();
    await workbench.screenshot(`${theme}-permission`);
    await pick(scene, 'Show diff');
    await workbench.diff.waitFor();
    await workbench.screenshot(`${theme}-diff`);
    await workbench.run('Gatehouse: Go to Next Pending');
    await pick(scene, 'Allow once');
    await workbench.row('Allow once').waitFor();
    await pick(scene, 'Allow once');
    await chat.said('The test passes now');
    await chat.card('node --test').getByRole('button', { name: 'Show terminal' }).click();
    await until(
      'the terminal',
      async () => /pass 2/.test(await workbench.terminalText()) || undefined,
    );
    await workbench.screenshot(`${theme}-terminal`);
    await workbench.resizeSideBar(300);
    await workbench.screenshot(`${theme}-narrow`);
    await workbench.resizeSideBar(800);
    await workbench.screenshot(`${theme}-wide`);
  });
}

/** Chooses a row as a careful user does: after the pick has been there for a moment. */
async function pick({ workbench }: Scene, label: string, title?: string): Promise<void> {
  await workbench.row(label).waitFor();
  if (title !== undefined) await workbench.quickInput.getByText(title).first().waitFor();
  await workbench.page.waitForTimeout(700);
  await workbench.row(label).click();
}
