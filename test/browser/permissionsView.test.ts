import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { again, clickUntil, LOST, pause, until } from '../workbench/processes.ts';
import { LOOKS } from '../workbench/variants.ts';
import { choose, press, settled } from './card.ts';
import { answerBox, MENU_MS, moveUntil, pickByKeys } from './pick.ts';
import { savedRules } from './savedRules.ts';
import { openScene, type Scene } from './scene.ts';

const bash = (command: string) => ({ tool: 'bash', input: { command } });

const RULES = [
  { permission: 'bash', pattern: 'frob *', action: 'allow' },
  { permission: 'bash', pattern: 'frob --all', action: 'deny' },
  { permission: 'bash', pattern: 'nope', action: 'alow' },
];

test('the Permissions view lists rules with their use, and decisions are explained by keyboard', async (t) => {
  const scene = await openScene(t, { settings: { 'gatehouse.permissions': RULES } });
  const { workbench, chat, model } = scene;
  const { page } = workbench;
  model.script({ calls: [bash('frob --all')] }, { text: 'Denied.' });
  await chat.send('go');
  await chat.said('Denied.');
  model.script({ calls: [bash('mix one')] }, { calls: [bash('mix two')] }, { text: 'Mixed.' });
  await chat.send('go on');
  await choose(scene, 'For This Session: this command');
  // The rule of the session is about another word.
  await chat.permission('mix two').getByText('Asked again:').waitFor();
  await settled(scene);
  for (const theme of LOOKS) {
    await workbench.useTheme(theme);
    await workbench.screenshot(`asked-again-${theme}`);
  }
  const tab = page.locator('.tab.active', { hasText: 'session-rules' });
  const isOpen = async () => (await tab.count()) > 0;
  const goTo = chat.permission().getByRole('button', { name: 'Go to Rule' });
  await clickUntil('the rule of the session', goTo, isOpen);
  await press(scene, 'Allow');
  await chat.said('Mixed.');
  await chat.idle();

  await workbench.run('Gatehouse: Filter Rules…');
  await answerBox(workbench, 'contain this text', 'FROB');
  await workbench.run('Gatehouse: Focus on Permissions View');
  // A view that is shown for the first time keeps the focus while its rules arrive.
  await page.locator('.monaco-list[aria-label="Permissions"]:focus').waitFor();
  const row = (name: string | RegExp) => page.getByRole('treeitem', { name });
  const denied = row(/^deny, bash, frob --all, 1 hit, (just now|\d+ min ago), workspace settings$/);
  await denied.waitFor();
  await row(/^waits for you to accept it, bash, frob \*, never used, workspace settings/).waitFor();
  assert.equal(await row(/nope/).count(), 0);
  for (const theme of LOOKS) {
    await workbench.useTheme(theme);
    await workbench.screenshot(`permissions-view-${theme}`);
  }
  await openByKeys(scene, denied);
  // Only one rule waits, so there is nothing to accept all of.
  const lens = page.locator('.codelens-decoration a');
  await lens.filter({ hasText: 'Accept This Rule…' }).waitFor();
  assert.equal(await lens.filter({ hasText: 'Accept All' }).count(), 0);

  await workbench.run('Gatehouse: Try a Call…');
  await pickByKeys(workbench, 'bash');
  await answerBox(workbench, 'Nothing is run', 'frob --all && ls');
  await shows(scene, 'Explanation', /deny \(rules\): The rule .*frob --all.* denies/);
  await workbench.screenshot('explain-call');

  await workbench.run('Gatehouse: Explain This Decision');
  await pickByKeys(workbench, 'bash: frob --all');
  await shows(scene, 'Decision', /deny by rule at /);
  await shows(scene, 'Decision', /Rules in force, by source and hash:/);
  await workbench.screenshot('explain-decision');
  await workbench.run('Gatehouse: Show Decision Log');
  await shows(scene, 'Decision Log', /"toolCallId"/);
  await workbench.run('Gatehouse: Explain This Decision');
  await shows(scene, 'Decision', /deny by rule at /);
  await workbench.run('Gatehouse: Clear Rule Filter');
});

test('Remove Rule removes a rule of the list, and Undo puts it back where it was', async (t) => {
  const scene = await openScene(t, { settings: { 'gatehouse.permissions': RULES } });
  const { workbench } = scene;
  const { page } = workbench;
  // The groups of a filtered list are open.
  await workbench.run('Gatehouse: Filter Rules…');
  await answerBox(workbench, 'contain this text', 'FROB');
  await workbench.run('Gatehouse: Focus on Permissions View');
  const row = page.getByRole('treeitem', { name: /^deny, bash, frob --all, / }).first();
  await row.waitFor();
  const remove = page.getByRole('menuitem', { name: 'Remove Rule' });
  const [first, , last] = RULES;
  const choose = async () => {
    await row.click({ button: 'right', timeout: LOST });
    await remove.waitFor({ timeout: LOST });
    await pause(MENU_MS);
    await remove.click({ timeout: LOST });
  };
  // The menu closes when the list gets new rows.
  await again('the file without the rule', choose, () =>
    isDeepStrictEqual(savedRules(scene), [first, last]),
  );
  await row.waitFor({ state: 'detached' });
  await workbench.screenshot('rule-removed');
  await workbench.answerNotification('Removed from settings.json: deny bash(frob --all)', 'Undo');
  await until('the rule where it was', () => isDeepStrictEqual(savedRules(scene), RULES));
  await row.waitFor();
  await workbench.run('Gatehouse: Clear Rule Filter');
});

test('rules of another product are imported after a preview that says what was tightened, by keyboard', async (t) => {
  const scene = await openScene(t, { settings: { 'gatehouse.permissions': RULES } });
  const { workbench, sample } = scene;
  const folder = path.join(sample.folder, '.claude');
  const permissions = { allow: ['Bash(npm run lint:*)', 'Edit'] };
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'settings.json'), JSON.stringify({ permissions }));
  await workbench.run('Gatehouse: Import Rules…');
  await shows(scene, 'Rules to Import', /npm run lint/);
  await shows(scene, 'Rules to Import', /Edit\b.*It would allow every edit\./);
  await workbench.row('Cancel').waitFor();
  await workbench.screenshot('import-rules');
  await pickByKeys(workbench, 'Import ');
  const saved = { permission: 'bash', pattern: 'npm run lint *', action: 'allow' };
  await until('the rule', () => savedRules(scene).some((rule) => isDeepStrictEqual(rule, saved)));
  assert.deepEqual(savedRules(scene).slice(0, RULES.length), RULES);
  await workbench.notice('Saved to settings.json: allow bash(npm run lint *)');
  rmSync(folder, { recursive: true });
});

/** Moves to a row with the arrow keys, and opens it with Enter. */
async function openByKeys({ workbench }: Scene, row: ReturnType<Scene['workbench']['row']>) {
  const { keyboard } = workbench.page;
  const isFocused = async () => /focused/.test((await row.getAttribute('class')) ?? '');
  const focused = workbench.page.locator('.monaco-list[aria-label="Permissions"] .focused');
  await moveUntil(
    'the row',
    () => keyboard.press('ArrowDown'),
    async () => (await focused.allInnerTexts()).join(),
    isFocused,
  );
  await again(
    'the settings',
    () => keyboard.press('Enter'),
    async () =>
      (await workbench.page.locator('.tab.active', { hasText: 'settings.json' }).count()) > 0,
  );
}

async function shows({ workbench }: Scene, tab: string, text: RegExp): Promise<void> {
  await workbench.page.locator('.tab.active', { hasText: tab }).first().waitFor();
  await until(`${text} in ${tab}`, async () =>
    (await workbench.editorText()).some((line) => text.test(line.replaceAll('\u00a0', ' '))),
  );
}
