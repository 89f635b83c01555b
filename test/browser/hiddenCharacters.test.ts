import assert from 'node:assert/strict';
import { test } from 'node:test';
import { armed, stop } from './card.ts';
import { openRequest } from './pick.ts';
import { openScene } from './scene.ts';

test('hidden and bidirectional characters are marks on the card, with no primary button', async (t) => {
  const scene = await openScene(t);
  const { chat, model, workbench } = scene;
  // Zero width, right to left override, isolate, tag, soft hyphen, no-break space and a Cyrillic "а".
  const hidden = ['\u200b', '\u202e', '\u2066', '\u{e0041}', '\u00ad', '\u00a0'];
  const command = `touch src/${hidden.map((each) => `x${each}y`).join('')} p\u0430ss`;
  const marks = ['U+200B', 'U+202E', 'U+2066', 'U+E0041', 'U+00AD', 'U+00A0', 'U+0430'];
  model.script({ calls: [{ tool: 'bash', input: { command } }] });
  await chat.send('go');
  await armed(scene);
  const card = chat.permission();
  const shown = await card.innerText();
  for (const mark of marks) assert.ok(shown.includes(`␣${mark}`), `${mark} in ${shown}`);
  for (const each of hidden.slice(0, 5)) assert.ok(!shown.includes(each), 'nothing is hidden');
  assert.equal(await card.getByRole('button').and(card.locator('.primary')).count(), 0);
  await workbench.screenshot('answers-hidden-characters');
  await stop(scene);
});

test('a name with hidden characters shows them in card, status bar, inbox and pick', async (t) => {
  const scene = await openScene(t);
  const { chat, model, workbench } = scene;
  const name = 'src/a\u200bb\u202esj.txt';
  const marked = 'src/a␣U+200Bb␣U+202Esj.txt';
  model.script({ calls: [{ tool: 'write', input: { path: name, content: 'new\n' } }] });
  await chat.send('go');
  await armed(scene);
  const card = await chat.permission().innerText();
  assert.ok(card.includes(marked), card);
  for (const each of ['\u200b', '\u202e', '\ufffd']) assert.ok(!card.includes(each), card);
  const primary = chat.permission().getByRole('button').and(chat.permission().locator('.primary'));
  assert.equal(await primary.count(), 0, 'no answer is suggested');
  const status = workbench.page.locator('.statusbar-item .codicon-shield').locator('xpath=..');
  const label = (await status.first().getAttribute('aria-label')) ?? '';
  assert.ok(label.includes(marked), label);
  await workbench.run('Gatehouse: Show Pending Requests');
  await workbench.quickInput.locator('.monaco-list-row', { hasText: marked }).first().waitFor();
  await workbench.hideQuickInput();
  await openRequest(workbench);
  await workbench.quickInputTitle.filter({ hasText: marked }).waitFor();
  await workbench.screenshot('answers-hidden-name');
  await workbench.hideQuickInput();
  await stop(scene);
});
