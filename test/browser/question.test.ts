import assert from 'node:assert/strict';
import { test } from 'node:test';
import { again, clickUntil } from '../workbench/processes.ts';
import { answerInPick, moveTo, openRequest, pickByKeys } from './pick.ts';
import { openScene, type Scene } from './scene.ts';

const STYLE = {
  header: 'Style',
  question: 'Which style shall the tests have?',
  options: [{ label: 'Tables' }, { label: 'Sentences', description: 'One a behaviour' }],
};
const WHERE = {
  header: 'Where',
  question: 'Which folders?',
  multi_select: true,
  options: [{ label: 'src' }, { label: 'test' }, { label: 'docs' }],
};

test('several questions are answered step by step, several choices with the mouse', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat } = scene;
  await ask(scene, [STYLE, WHERE]);
  await answerInPick(scene, 'Sentences');
  await workbench.row('src').waitFor();
  assert.equal(
    await workbench.quickInputTitle.innerText(),
    'Which folders? (gatehouse · ask me) (2/2)',
  );
  for (const [index, label] of ['docs', 'src'].entries()) {
    await clickUntil(`the choice of ${label}`, workbench.row(label), () =>
      workbench.quickInput.getByText(`${index + 1} Selected`).isVisible(),
    );
  }
  await again(
    'the answer',
    () => workbench.quickInput.getByRole('button', { name: 'OK' }).click({ timeout: 1000 }),
    async () => (await workbench.quickInput.count()) === 0,
  );
  assert.equal(await answered(scene), 'Sentences\nsrc, docs');
  assert.equal(await chat.question().count(), 0);
});

test('several choices are answered with the keyboard alone', async (t) => {
  const scene = await openScene(t);
  const { workbench } = scene;
  await ask(scene, [WHERE]);
  await openRequest(workbench);
  for (const [index, label] of ['src', 'test'].entries()) {
    await again(
      `the choice of ${label}`,
      async () => {
        await moveTo(workbench, label);
        await workbench.page.keyboard.press('Space');
      },
      () => workbench.quickInput.getByText(`${index + 1} Selected`).isVisible(),
    );
  }
  await pickByKeys(workbench, 'test');
  assert.equal(await answered(scene), 'src, test');
});

test('the card takes an answer in words, and the pick closes with it', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat } = scene;
  await ask(scene, [WHERE]);
  await openRequest(workbench);
  await workbench.row('Other…, instead of the choices').waitFor();
  const card = chat.question('Which folders?');
  await card.getByRole('textbox', { name: 'Other, instead of the choices' }).fill('bench');
  const answer = card.getByRole('button', { name: 'Answer' });
  await clickUntil('the answer', answer, async () => (await card.count()) === 0);
  assert.equal(await answered(scene), 'bench');
  await workbench.row('src').waitFor({ state: 'detached' });
});

async function ask({ chat, model }: Scene, questions: readonly object[]): Promise<void> {
  model.script({ calls: [{ tool: 'question', input: { questions } }] }, { text: 'I go on.' });
  await chat.send('ask me');
  await chat.question().waitFor();
}

/** What the card of the call says was answered. */
async function answered({ chat }: Scene): Promise<string> {
  await chat.said('I go on.');
  await chat.idle();
  // Also while the card is collapsed, for the request is gone.
  const questions = chat.card('Ask:').locator('.given-answers > div');
  await questions.first().waitFor();
  const answers = (await questions.all()).map((each) => each.locator('dd').allInnerTexts());
  return (await Promise.all(answers)).map((each) => each.join(', ')).join('\n');
}
