import assert from 'node:assert/strict';
import { test } from 'node:test';
import { again, pause } from '../workbench/processes.ts';
import { goToFirst } from './card.ts';
import { clickTwice, GAPS, withTwoClicks } from './clickTwice.ts';
import { ARMED, openRequest } from './pick.ts';
import { openCurrentReview, titleButton } from './reviewEditor.ts';
import { edit, FILES, prepareFiles } from './reviewMode.ts';
import { openScene, type Scene } from './scene.ts';

const CALLS = FILES.map((file) => edit(file, 'second', `second of ${file}`));
const [ONE, TWO] = FILES;

async function askFour(scene: Scene) {
  const text = prepareFiles(scene);
  scene.model.script({ calls: CALLS }, { text: 'Done.' });
  await scene.chat.send('change four files');
  await goToFirst(scene, 4);
  return text;
}

const question = (header: string) => ({
  tool: 'question',
  input: {
    questions: [
      {
        ...{ header, question: `Which ${header}?`, multi_select: true },
        options: [{ label: 'src' }, { label: 'test' }],
      },
    ],
  },
});

for (const gap of GAPS) {
  test(`two clicks ${gap} ms apart on Allow in the editor's title answer one request`, (t) =>
    withTwoClicks(gap, async (gap) => {
      const scene = await openScene(t);
      const { workbench, chat } = scene;
      const text = await askFour(scene);
      await openCurrentReview(workbench);
      await again(
        'the first file',
        async () => {
          await pause(ARMED);
          await clickTwice(workbench.page, titleButton(workbench, 'Allow'), gap);
        },
        () => text(ONE).includes('second of'),
      );
      await chat.permission(TWO).waitFor();
      await pause(ARMED * 2);
      await chat.frame.getByText('1 of 3', { exact: true }).waitFor();
      for (const file of FILES.slice(1)) assert.ok(!text(file).includes('second of'), file);
    }));

  test(`two clicks ${gap} ms apart on OK of a question answer one question`, (t) =>
    withTwoClicks(gap, async (gap) => {
      const { workbench, chat, model } = await openScene(t);
      model.script({ calls: [question('folders'), question('files')] }, { text: 'Done.' });
      await chat.send('ask me twice');
      await chat.question('Which folders?').waitFor();
      await openRequest(workbench);
      await workbench.quickInputTitle.filter({ hasText: 'Which folders?' }).waitFor();
      await workbench.row('src').click();
      await workbench.quickInput.getByText('1 Selected').waitFor();
      const ok = workbench.quickInput.getByRole('button', { name: 'OK' });
      await again(
        'the first answer',
        async () => {
          await pause(ARMED);
          await clickTwice(workbench.page, ok, gap);
        },
        () => chat.question('Which files?').isVisible(),
      );
      await pause(ARMED * 2);
      assert.equal(await chat.question().count(), 1);
      assert.equal(model.requests.length, 1, 'the second question still waits');
    }));
}
