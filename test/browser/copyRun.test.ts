import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { Chat } from '../workbench/chat.ts';
import { again, clickUntil, LOST, until } from '../workbench/processes.ts';
import { LOOKS } from '../workbench/variants.ts';
import { findAxeFaults } from './axe.ts';
import { enter, press } from './card.ts';
import { moveTo, openRequest, pickByKeys } from './pick.ts';
import { oneHost, openScene, type Scene, sharedStage, traceOf } from './scene.ts';

const SCRIPT =
  "printf new > one.txt; printf made > two.txt; rm three.txt; printf 'a\\0b' > data.bin; chmod 755 one.txt";

/** A window of a user who has not decided yet whether commands run in a copy. */
async function openUndecided(t: TestContext): Promise<Scene> {
  const { server } = await sharedStage();
  const settings = path.join(server.home, 'data/Machine/settings.json');
  const before = readFileSync(settings, 'utf8');
  const { 'gatehouse.sandbox.autoRun': _, ...others } = JSON.parse(before);
  writeFileSync(settings, JSON.stringify(others));
  t.after(() => writeFileSync(settings, before));
  return openScene(t, { fresh: true });
}

/** Answers a request that a copy would have saved, and turns commands in a copy on when that is offered. */
async function turnOn(scene: Scene): Promise<void> {
  const { chat, model, workbench, server } = scene;
  model.script(call('real'), { text: 'Ran for real.' });
  await chat.send('go');
  await press(scene, 'Allow');
  await chat.said('Ran for real.');
  await workbench.answerNotification(/can run in a copy of the workspace/, 'Turn On');
  const settings = path.join(server.home, 'data/Machine/settings.json');
  await until('the setting', () => {
    return readFileSync(settings, 'utf8').includes('"gatehouse.sandbox.autoRun": true');
  });
  // The window reads it a moment later and tells the host; a turn goes by what its host was told before it.
  const { pid } = await oneHost(scene);
  await until('the host', () => traceOf(pid).includes('"sandbox.autoRun":true') || undefined);
}

/** The watchdog asks about the third call that is the same. */
const call = (way: string) => ({
  calls: [{ tool: 'bash', input: { command: `bash change.sh ${way}` } }],
});

function prepare({ sample }: Scene): (name: string) => string | undefined {
  const at = (name: string) => path.join(sample.folder, name);
  writeFileSync(at('change.sh'), SCRIPT);
  writeFileSync(at('one.txt'), 'old');
  writeFileSync(at('three.txt'), 'old');
  chmodSync(at('one.txt'), 0o644);
  for (const name of ['two.txt', 'data.bin']) rmSync(at(name), { force: true });
  return (name) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : undefined);
}

test('a command runs in a copy, and its changes are reviewed with the mouse and by keyboard', async (t) => {
  const scene = await openUndecided(t);
  const { chat, model, workbench } = scene;
  prepare(scene);
  await turnOn(scene);
  for (const way of ['mouse', 'keyboard'] as const) {
    const text = prepare(scene);
    model.script(call(way), { text: `Done by ${way}.` });
    await chat.send('go');
    await chat.permission().first().waitFor();
    await chat
      .permission()
      .getByText('The command ran in a copy of the workspace.')
      .first()
      .waitFor();
    // What is no text is listed, since no difference shows it.
    const listed = await chat.permission().first().innerText();
    assert.match(listed, /^\W*Permission needed: Changes of: bash change\.sh\s/);
    assert.match(listed, /data\.bin: new binary file, 3 bytes/);
    assert.match(listed, /one\.txt: mode 644 → 755/);
    assert.deepEqual(
      [text('one.txt'), text('two.txt'), text('three.txt'), text('data.bin')],
      ['old', undefined, 'old', undefined],
    );
    await workbench.screenshot(`copy-review-${way}`);
    if (way === 'mouse') await leaveOutByMouse(scene);
    else await leaveOutByKeys(scene);
    await chat.said(`Done by ${way}.`);
    await until('the files', () => text('one.txt') === 'new' || undefined);
    assert.equal(text('data.bin'), way === 'mouse' ? undefined : 'a\0b');
    assert.deepEqual([text('two.txt'), text('three.txt')], ['made', undefined]);
    const mode = () => statSync(path.join(scene.sample.folder, 'one.txt')).mode & 0o777;
    assert.equal(mode(), way === 'mouse' ? 0o755 : 0o644);
    await chat.frame.getByText('Ran in a copy by the rule').first().waitFor({ state: 'attached' });
    await workbench.screenshot(`copy-ran-${way}`);
    await workbench.page.locator('.statusbar-item [aria-label*="Sandbox: tested"]').waitFor();
    const told = JSON.stringify(model.requests.at(-1)?.body['messages']);
    const files = way === 'mouse' ? 3 : 4;
    assert.match(
      told,
      new RegExp(`ran in a copy of the workspace\\. ${files} files that it changed`),
    );
    assert.match(told, /Left out in the review: `(data\.bin|one\.txt)`/);
    if (way === 'mouse') await revert(scene, () => [mode(), ...NAMES.map(text)]);
  }
  await runOutside(scene);
  await undoAfterwards({ ...scene, chat: await reloadWhileItWaits(scene) });
});

const GONE = { state: 'detached' } as const;

/** Clears the check box of the binary file, and allows the rest. */
async function leaveOutByMouse(scene: Scene): Promise<void> {
  const { chat, workbench } = scene;
  const box = chat.permission().getByRole('checkbox', { name: /data\.bin/ });
  await again(
    'the cleared box',
    () => box.setChecked(false, { timeout: LOST }),
    async () => !(await box.isChecked()),
  );
  // What is left out is no reason to ask any more.
  await chat.permission().locator('.parts li', { hasText: 'data.bin' }).waitFor(GONE);
  // It would go on to show that both are kept.
  await workbench.row('Choose Which Other Changes to Keep…').waitFor({ state: 'detached' });
  await lookAtReview(scene, box);
  await workbench.screenshot('copy-left-out');
  await press(scene, 'Allow');
}

/** Leaves out the mode in the quick pick. */
async function leaveOutByKeys({ workbench, chat }: Scene): Promise<void> {
  await openRequest(workbench);
  await pickByKeys(workbench, 'Choose Which Other Changes to Keep…');
  await again(
    'the choice',
    async () => {
      await moveTo(workbench, 'one.txt: mode');
      await workbench.page.keyboard.press('Space');
    },
    () => workbench.quickInput.getByText('1 Selected').isVisible(),
  );
  await workbench.screenshot('copy-left-out-pick');
  await pickByKeys(workbench, 'data.bin: new');
  await workbench.row('Choose Which Other Changes to Keep…, 1 of 2 kept').waitFor();
  const box = chat.permission().getByRole('checkbox', { name: /one\.txt/ });
  assert.equal(await box.isChecked(), false, 'the card shows the same');
  await pickByKeys(workbench, 'Allow');
}

const NAMES = ['one.txt', 'two.txt', 'three.txt', 'data.bin'];

/** *Revert* takes back the deletion, the mode and the texts. */
async function revert({ chat, workbench }: Scene, look: () => readonly unknown[]): Promise<void> {
  const card = chat.card('bash change.sh mouse');
  await chat.expand(card);
  const button = card.getByRole('button', { name: 'Revert', exact: true });
  const before = JSON.stringify([0o644, 'old', undefined, 'old', undefined]);
  await clickUntil('the reverted files', button, () => JSON.stringify(look()) === before);
  await chat.card('Revert').first().waitFor();
  await workbench.screenshot('copy-reverted');
}

/** The review with what was left out, in each theme. */
async function lookAtReview({ chat, workbench }: Scene, box: Locator): Promise<void> {
  for (const theme of LOOKS) {
    await workbench.useTheme(theme);
    await box.scrollIntoViewIfNeeded();
    await workbench.screenshot(`copy-review-${theme}`);
  }
  assert.deepEqual(await findAxeFaults(chat), []);
}

/** A command that fails in the copy runs without it from its review: on the card, then in the quick pick. */
async function runOutside(scene: Scene): Promise<void> {
  const { chat, model, workbench } = scene;
  const folder = mkdtempSync(path.join(tmpdir(), 'copy-outside-'));
  const outside = path.join(folder, 'file');
  const text = prepare(scene);
  const button = chat.permission().getByRole('button', { name: 'Run Without Sandbox…' });
  for (const way of ['card', 'pick'] as const) {
    writeFileSync(
      path.join(scene.sample.folder, 'change.sh'),
      `printf ${way} > one.txt; printf ${way} > ${outside} || exit 3`,
    );
    model.script(call(`outside ${way}`), { text: `Outside by ${way}.` });
    await chat.send('go');
    await button.waitFor();
    if (way === 'card') {
      await look(scene, button);
      await enter(scene, 'Run Without Sandbox…');
    } else {
      await openRequest(workbench);
      await pickByKeys(workbench, 'Run Without Sandbox…');
    }
    await chat.permission().getByText('It asks to run without the sandbox').first().waitFor();
    await workbench.screenshot(`copy-outside-ask-${way}`);
    assert.equal(await button.count(), 0);
    assert.equal(existsSync(outside) && readFileSync(outside, 'utf8') === way, false);
    if (way === 'card') await enter(scene, 'Allow');
    else {
      await openRequest(workbench);
      await pickByKeys(workbench, 'Allow Once');
    }
    await chat.said(`Outside by ${way}.`);
    assert.deepEqual([text('one.txt'), readFileSync(outside, 'utf8')], [way, way]);
    const told = JSON.stringify(model.requests.at(-1)?.body['messages']);
    assert.match(told, /exit_code\W+0/);
  }
  rmSync(folder, { recursive: true });
}

/** The window reloads while the review waits: the user and the agent are told, and nothing was written. */
async function reloadWhileItWaits(before: Scene): Promise<Chat> {
  const text = prepare(before);
  const { model, workbench } = before;
  model.script(call('reload'));
  await before.chat.send('go');
  await before.chat.permission('Changes of: bash change.sh reload').waitFor();
  // In effect when the window is there again.
  const settings = path.join(before.server.home, 'data/Machine/settings.json');
  const others = JSON.parse(readFileSync(settings, 'utf8'));
  writeFileSync(settings, JSON.stringify({ ...others, ...WRITES_UNASKED }));
  await workbench.reload();
  const chat = await Chat.open(workbench);
  await chat.frame.getByText(/ran in a copy of the workspace\. Nothing was written/).waitFor();
  await workbench.screenshot('copy-reloaded');
  assert.equal(await chat.permission().count(), 0);
  assert.deepEqual(NAMES.map(text), ['old', undefined, 'old', undefined]);
  model.script({ text: 'Went on.' });
  const button = chat.frame.getByRole('button', { name: 'Continue', exact: true });
  await clickUntil('the next turn', button, async () => (await button.count()) === 0);
  await chat.said('Went on.');
  const told = JSON.stringify(model.requests.at(-1)?.body['messages']);
  assert.match(told, /what was not allowed by then is discarded\. Run the command again/);
  assert.deepEqual(NAMES.map(text), ['old', undefined, 'old', undefined]);
  return chat;
}

const WRITES_UNASKED = {
  'gatehouse.sandbox.autoRun': true,
  'gatehouse.review.mode': 'afterwards',
  'gatehouse.permissions': [{ permission: 'fs.write', pattern: '**', action: 'allow' }],
};

/** What a rule lets a command write is listed with what no difference shows, and undone at once. */
async function undoAfterwards(scene: Scene): Promise<void> {
  const { chat, model, workbench } = scene;
  const text = prepare(scene);
  model.script(call('afterwards'), { text: 'Written by rule.' });
  await chat.send('go');
  await chat.said('Written by rule.');
  assert.deepEqual(NAMES.map(text), ['new', 'made', undefined, 'a\0b']);
  const list = chat.frame.getByRole('region', { name: 'Unreviewed changes' });
  const row = list.locator('li', { hasText: 'data.bin' });
  await again(
    'the open list',
    () => list.locator('summary').press('Enter', { timeout: LOST }),
    () => row.isVisible(),
  );
  assert.match(await row.innerText(), /data\.bin\s+new binary file/);
  assert.match(await list.innerText(), /one\.txt\s+\+1\s+−1\s+mode 644 → 755/);
  await workbench.screenshot('copy-afterwards');
  assert.deepEqual(await findAxeFaults(chat), []);
  await clickUntil('the question', chat.button('Undo All…'), () => workbench.dialog.isVisible());
  const undo = workbench.dialog.getByRole('button', { name: 'Undo All', exact: true });
  const before = JSON.stringify(['old', undefined, 'old', undefined]);
  await clickUntil('the files', undo, () => JSON.stringify(NAMES.map(text)) === before);
  await list.waitFor(GONE);
}

/** The review of a failed command in the darkest themes, at every width. */
async function look({ chat, workbench }: Scene, button: Locator): Promise<void> {
  for (const theme of LOOKS) {
    await workbench.useTheme(theme);
    for (const width of [220, 400, 900]) {
      await workbench.resizeSideBar(width);
      await until(`the buttons in view at ${width} pixels`, () => button.evaluate(isInView));
      await workbench.screenshot(`copy-outside-${theme}-${width}`);
    }
  }
  await workbench.resizeSideBar(400);
  assert.deepEqual(await findAxeFaults(chat), []);
}

function isInView(element: Element): boolean {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return right <= innerWidth && bottom <= innerHeight && element.contains(hit);
}
