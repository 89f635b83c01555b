import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Chat } from '../workbench/chat.ts';
import { again, until } from '../workbench/processes.ts';
import { wholeTest } from '../workbench/variants.ts';
import { goToFirst, press } from './card.ts';
import { keptOnDisk, watchLastScreen } from './keptScreen.ts';
import { answerInPick, moveUntil, pickByKeys } from './pick.ts';
import { allowInTitle, isStored, openCurrentReview, typeAtEnd } from './reviewEditor.ts';
import { oneHost, openScene, type Scene, traceOf } from './scene.ts';

const OLD = Array.from({ length: 9 }, (_, at) => `line ${at + 1}\n`);
const NEW = OLD.with(1, 'LINE 2\n');

/** The same window after a reload, which ends its host and its extension host. */
async function reload(scene: Scene): Promise<Scene> {
  await scene.workbench.reload();
  return { ...scene, chat: await Chat.open(scene.workbench) };
}

function proposeEdit({ sample }: Scene): string {
  const file = path.join(sample.folder, 'notes.txt');
  writeFileSync(file, OLD.join(''));
  return file;
}

test('a command and an edit that wait are asked about again after a reload of the window, and the turn goes on', async (t) => {
  const before = await openScene(t);
  const { model, sample, workbench } = before;
  const file = proposeEdit(before);
  model.script(
    {
      text: 'First.',
      calls: [
        { tool: 'bash', input: { command: 'echo ran >> ran.txt' } },
        { tool: 'write', input: { path: 'notes.txt', content: NEW.join('') } },
      ],
    },
    { text: 'All answered.' },
  );
  await before.chat.send('change the notes');
  await before.chat.frame.getByText(/^\d of 2$/).waitFor();
  const asked = model.requests.length;
  // For the next window, without the requests.
  assert.doesNotMatch(await keptOnDisk(before, 'First.'), /Allow|data-ask/);

  const readShown = await watchLastScreen(workbench.page);
  const scene = await reload(before);
  const shown = await readShown(await scene.chat.document());
  assert.ok(shown.seen > 0, 'the last screen was shown');
  assert.match(shown.text, /First\./);
  assert.doesNotMatch(shown.text, /Allow/);
  assert.equal(shown.controls, 0, 'no request that could not be answered yet');
  await goToFirst(scene, 2);
  await workbench.screenshot('reload-pending');
  await answerInPick(scene, 'Allow Once');
  await until('the command', () => existsSync(path.join(sample.folder, 'ran.txt')) || undefined);
  await scene.chat.permission('notes.txt').waitFor();
  await openCurrentReview(workbench);
  await workbench.screenshot('reload-review');
  assert.equal(readFileSync(file, 'utf8'), OLD.join(''));
  await allowInTitle(workbench);
  await scene.chat.said('All answered.');
  assert.equal(readFileSync(file, 'utf8'), NEW.join(''));
  assert.equal(readFileSync(path.join(sample.folder, 'ran.txt'), 'utf8'), 'ran\n');
  assert.equal(model.requests.length, asked + 1);
  const results = model.requests.at(-1)?.conversation.results ?? [];
  assert.deepEqual(
    results.map(({ ok }) => ok),
    [true, true],
  );
  await scene.chat.idle();
});

wholeTest(
  'text typed into a proposal is there after a reload of the window, and is what is written',
  async (t) => {
    const before = await openScene(t);
    const { model, workbench } = before;
    const file = proposeEdit(before);
    model.script(
      { calls: [{ tool: 'write', input: { path: 'notes.txt', content: NEW.join('') } }] },
      { text: 'Done.' },
    );
    await before.chat.send('change the notes');
    await before.chat.permission('notes.txt').waitFor();
    // The cursor is on the first change.
    await openCurrentReview(workbench);
    await typeAtEnd(workbench, 'LINE 2', ' typed');
    await isStored(before, 'LINE 2 typed');

    const scene = await reload(before);
    await scene.chat.permission('notes.txt').waitFor();
    assert.equal(readFileSync(file, 'utf8'), OLD.join(''));
    await press(scene, 'Allow');
    await scene.chat.said('Done.');
    assert.equal(readFileSync(file, 'utf8'), NEW.with(1, 'LINE 2 typed\n').join(''));
    assert.match(JSON.stringify(model.requests.at(-1)?.body['messages']), /LINE 2 typed/);
  },
);

wholeTest(
  'Stop ends a turn that went on after a reload, and Continue is not offered',
  async (t) => {
    const before = await openScene(t);
    const { model } = before;
    model.script(
      { calls: [{ tool: 'bash', input: { command: 'echo ran >> ran.txt' } }] },
      { text: 'Never.' },
    );
    await before.chat.send('run it');
    await before.chat.permission().waitFor();
    const scene = await reload(before);
    await scene.chat.permission().waitFor();
    await scene.chat.stop();
    const last = await reload(scene);
    await last.chat.items('user').first().waitFor();
    assert.equal(await last.chat.permission().count(), 0);
    assert.equal(await last.chat.alert.count(), 0);
  },
);

wholeTest(
  'the approval mode is chosen by keyboard alone, counts at once, and is kept over a reload',
  async (t) => {
    const before = await openScene(t);
    const { model } = before;
    const write = { tool: 'write', input: { path: 'made.txt', content: 'made' } };
    model.script({ text: 'Ready.' });
    await before.chat.send('hello');
    await before.chat.said('Ready.');
    await chooseByKeys(before, 'Approval: Ask', 'Read Only');
    await settingButton(before, 'Approval: Read Only').waitFor();
    const host = await oneHost(before);
    const wire = /"method":"session\/set_config_option".*"configId":"approval","value":"readOnly"/;
    await until('the option on the wire', () => wire.test(traceOf(host.pid)));
    model.script({ calls: [write] }, { text: 'Not written.' });
    await before.chat.send('write');
    await before.chat.said('Not written.');
    assert.equal(await before.chat.permission().count(), 0);
    assert.equal(existsSync(path.join(before.sample.folder, 'made.txt')), false);

    const scene = await reload(before);
    await scene.chat.said('Not written.');
    await settingButton(scene, 'Approval: Read Only').waitFor();
    // Only one model is configured, so there is nothing to choose.
    const only = settingButton(scene, 'Model: scripted. There is nothing else to choose.');
    assert.equal(await only.getAttribute('aria-disabled'), 'true');
    await chooseByKeys(scene, 'Approval: Read Only', 'Accept Edits');
    await settingButton(scene, 'Approval: Accept Edits').waitFor();
    model.script({ calls: [write] }, { text: 'It is there.' });
    await scene.chat.send('write again');
    await scene.chat.said('It is there.');
    assert.equal(readFileSync(path.join(scene.sample.folder, 'made.txt'), 'utf8'), 'made');
  },
);

function settingButton({ chat }: Scene, name: string) {
  return chat.frame
    .getByRole('group', { name: 'Session settings' })
    .getByRole('button', { name, exact: true });
}

/** Moves from the message to the button with Tab, and chooses a value in its pick. */
async function chooseByKeys(scene: Scene, name: string, value: string): Promise<void> {
  const { workbench, chat } = scene;
  const { keyboard } = workbench.page;
  const button = settingButton(scene, name);
  await button.waitFor();
  await chat.composer.focus();
  await moveUntil(
    `the button ${name}`,
    () => keyboard.press('Tab'),
    () => button.evaluate(() => document.activeElement?.outerHTML ?? null),
    () => button.evaluate((each) => each === document.activeElement),
  );
  await again(
    'the list of values',
    () => keyboard.press('Enter'),
    () => workbench.row(value).isVisible(),
  );
  await pickByKeys(workbench, value);
}
