import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { clickUntil, until } from '../workbench/processes.ts';
import { armed, choose, press, stop } from './card.ts';
import { savedRules, saveRules } from './savedRules.ts';
import { openScene, type Scene } from './scene.ts';

const bash = (command: string) => ({ tool: 'bash', input: { command } });
const write = (file: string, content = 'new\n') => ({
  tool: 'write',
  input: { path: file, content },
});

test('Deny… in the card takes a reason that reaches the model', async (t) => {
  const scene = await openScene(t);
  const { chat, model } = scene;
  model.script({ calls: [bash('npm test')] }, { text: 'I stop.' });
  await chat.send('test it');
  await press(scene, 'Deny…');
  const card = chat.permission();
  await card.getByRole('textbox', { name: 'Why not' }).fill('use the clean script');
  await press(scene, 'Deny');
  await chat.said('I stop.');
  assert.match(lastError(scene), /The user rejected this call: use the clean script/);
  await chat.status(chat.card('npm test'), 'denied');
});

test('Deny and Send rejects with the text; Enter only queues it', async (t) => {
  const scene = await openScene(t);
  const { chat, model } = scene;
  model.script({ calls: [bash('npm test')] }, { text: 'I stop.' });
  await chat.send('test it');
  await armed(scene);
  await chat.send('and then lint');
  await chat.frame.locator('.queue li').filter({ hasText: 'and then lint' }).waitFor();
  assert.equal(await chat.permission().count(), 1, 'nothing is denied by Enter');
  await chat.composer.fill('use pnpm');
  await clickUntil(
    'the answer',
    chat.button('Deny and Send'),
    async () => (await chat.permission().count()) === 0,
  );
  await chat.said('I stop.');
  const denied = model.requests[1]?.conversation.results[0];
  assert.match(denied?.errorText ?? '', /The user rejected this call: use pnpm/);
  await until('an empty composer', async () => (await chat.composer.inputValue()) === '');
});

test('VC-32: Always offers the parts of a line, saves those chosen, and Undo removes exactly them', async (t) => {
  const scene = await openScene(t);
  const { chat, model, workbench } = scene;
  const line = 'touch one && mkdir two';
  model.script({ calls: [bash(line)] }, { text: 'First.' });
  await chat.send('go');
  await choose(scene, 'Always…');
  const card = chat.permission();
  assert.equal(await card.getByRole('group', { name: line }).count(), 0, 'never bundled');
  await card.getByRole('checkbox', { name: 'bash(touch one)' }).check();
  await card.getByRole('checkbox', { name: 'bash(mkdir *)' }).check();
  await press(scene, 'Next');
  await press(scene, /in this workspace/);
  await chat.said('First.');
  const patterns = () => savedRules(scene).map((rule) => `${rule['action']} ${rule['pattern']}`);
  await until('the saved rules', () => patterns().length === 2 || undefined);
  assert.deepEqual(patterns(), ['allow touch one', 'allow mkdir *']);
  // Rules of the user's own stay, wherever they stand.
  const own = { permission: 'bash', pattern: 'echo *', action: 'allow' };
  saveRules(scene, [own, ...savedRules(scene)]);
  await workbench.answerNotification('Saved to settings.json', 'Undo');
  await until('the end of the rules', () => patterns().length === 1 || undefined);
  assert.deepEqual(patterns(), ['allow echo *']);
  model.script({ calls: [bash(line)] }, { text: 'Second.' });
  await chat.send('again');
  await armed(scene);
  await press(scene, 'Allow');
  await chat.said('Second.');
});

test('VC-38: other requests that a saved rule covers in full are answered, and no others', async (t) => {
  const scene = await openScene(t);
  const { chat, model, workbench, sample } = scene;
  model.script(
    { calls: [bash('touch one'), bash('touch two'), bash('touch three && mkdir four')] },
    { text: 'All.' },
  );
  await chat.send('go');
  await choose(scene, 'Always…');
  await chat.permission().getByRole('radio', { name: 'bash(touch *)' }).check();
  await press(scene, 'Next');
  await press(scene, /in this workspace/);
  await until('both files', () => existsSync(path.join(sample.folder, 'two')) || undefined);
  await chat.permission('mkdir four').waitFor();
  assert.equal(existsSync(path.join(sample.folder, 'three')), false);
  await workbench.answerNotification('Saved to settings.json', 'Open');
  await until(
    'the line of the rule',
    async () =>
      (await workbench.editorText()).some((each) => each.includes('touch *')) || undefined,
  );
  await armed(scene);
  await press(scene, 'Allow');
  await chat.said('All.');
  await chat.card('touch one').getByText('Allowed by you').first().waitFor();
});

test('VC-31: an fs.write rule of the session covers the next edit there, and no other session', async (t) => {
  const scene = await openScene(t);
  const { chat, model, sample } = scene;
  const edit = {
    tool: 'edit',
    input: { path: 'src/new.txt', old_string: 'new', new_string: 'newer' },
  };
  model.script({ calls: [write('src/new.txt')] }, { calls: [edit] }, { text: 'Both.' });
  await chat.send('go');
  await choose(scene, 'For This Session: edits in src');
  await chat.said('Both.');
  assert.equal(readFileSync(path.join(sample.folder, 'src/new.txt'), 'utf8'), 'newer\n');
  await chat.startSession();
  model.script({ calls: [write('src/other.txt')] }, { text: 'No.' });
  await chat.send('go');
  await press(scene, 'Deny…');
  await press(scene, 'Deny');
  await chat.said('No.');
});

test('VC-83: Always Deny rejects the next such call without asking', async (t) => {
  const scene = await openScene(t);
  const { chat, model } = scene;
  model.script({ calls: [bash('touch x')] }, { calls: [bash('touch x')] }, { text: 'Never.' });
  await chat.send('go');
  await choose(scene, 'Always Deny…');
  await chat.permission().getByRole('radio', { name: 'bash(touch x)' }).check();
  await press(scene, 'Next');
  await press(scene, /in this session/);
  await chat.said('Never.');
  assert.match(lastError(scene), /touch x/);
});

test('Edit… keeps a text that can not run with its error, then runs the changed one', async (t) => {
  const scene = await openScene(t);
  const { chat, model, sample } = scene;
  model.script(
    { calls: [bash('mkdir first')] },
    { calls: [bash('touch wrong')] },
    { text: 'Edited.' },
  );
  await chat.send('go');
  await choose(scene, 'Always Deny…');
  await chat.permission().getByRole('radio', { name: 'bash(mkdir *)' }).check();
  await press(scene, 'Next');
  await press(scene, /in this session/);
  await chat.permission('touch wrong').waitFor();
  await choose(scene, 'Edit…');
  const field = chat.permission().getByRole('textbox', { name: 'Edit…' });
  assert.equal(await field.inputValue(), 'touch wrong');
  await field.fill('mkdir src/new');
  await press(scene, 'Run');
  await chat.permission().getByRole('alert').filter({ hasText: 'mkdir' }).waitFor();
  assert.equal(await field.inputValue(), 'mkdir src/new');
  await field.fill('touch right');
  await press(scene, 'Run');
  // The changed call starts again at validation and evaluation, so it asks as itself.
  await chat.permission('touch right').waitFor();
  await press(scene, 'Allow');
  await chat.said('Edited.');
  assert.ok(existsSync(path.join(sample.folder, 'right')));
  assert.ok(!existsSync(path.join(sample.folder, 'wrong')));
});

test('a risky line names its risky part, marks each part and has no primary button', async (t) => {
  const scene = await openScene(t);
  const { chat, model, workbench, sample } = scene;
  model.script({ calls: [bash('git status && rm -rf build')] });
  await chat.send('go');
  await armed(scene);
  const card = chat.permission();
  await card.getByText('git status && rm -rf build', { exact: true }).first().waitFor();
  await card.getByText(`in ${path.basename(sample.folder)}`).waitFor();
  assert.equal(await card.getByRole('button').and(card.locator('.primary')).count(), 0);
  const parts = card.getByRole('list', { name: 'Parts of the command' }).getByRole('listitem');
  assert.deepEqual(
    await parts.evaluateAll((items) => items.map((each) => each.getAttribute('data-decision'))),
    ['allow', 'ask'],
  );
  await parts.nth(1).getByText('Deletes or overwrites').waitFor();
  await workbench.screenshot('answers-risky');
  await stop(scene);
});

test('a rule that asks is linked, and its link opens the line', async (t) => {
  const scene = await openScene(t);
  const { chat, model, workbench } = scene;
  saveRules(scene, [{ permission: 'bash', pattern: 'touch*', action: 'ask' }]);
  const link = chat.permission().getByRole('button', { name: 'Go to Rule' });
  // The editor reads the settings some time after they were written.
  await until('a request by the rule', async () => {
    model.script({ calls: [bash('touch linked')] });
    await chat.send('go');
    await armed(scene);
    if (await link.isVisible()) return true;
    await stop(scene);
    return false;
  });
  await clickUntil('the rule in the editor', link, async () =>
    (await workbench.editorText()).some((line) => line.includes('touch*')),
  );
  await stop(scene);
});

test('VC-35: rules that cannot be read are counted in the chat, allow nothing and soften no deny', async (t) => {
  const scene = await openScene(t);
  const { chat, model, workbench, sample } = scene;
  const bad = [
    { permission: 'bash', pattern: 'touch denied', action: 'deny' },
    { permission: 'bash', pattern: 'touch *', action: 'Allow' },
    { permission: 'bash', action: 'allow' },
  ];
  const banner = chat.frame.getByRole('note').filter({ hasText: 'Problems found' });
  // The editor reads the settings some time after they were written.
  await until('the banner', () => {
    saveRules(scene, bad);
    return banner.waitFor({ timeout: 3000 }).then(
      () => true,
      () => false,
    );
  });
  await banner.filter({ hasText: ': 2.' }).waitFor();
  model.script(
    { calls: [bash('touch denied')] },
    { calls: [bash('touch asked')] },
    { text: 'I stop.' },
  );
  await chat.send('go');
  await chat.permission('touch asked').waitFor();
  const [denied] = model.requests.at(-1)?.conversation.results ?? [];
  assert.equal(denied?.ok, false);
  assert.match(denied?.errorText ?? '', /touch denied/);
  await press(scene, 'Deny…');
  await press(scene, 'Deny');
  await chat.said('I stop.');
  for (const file of ['denied', 'asked']) assert.ok(!existsSync(path.join(sample.folder, file)));
  // Where they are: a diagnostic on the line.
  const open = banner.getByRole('button', { name: 'Open Settings' });
  await clickUntil('the settings', open, async () => (await workbench.tab('').count()) > 0);
  await workbench.screenshot('answers-broken-rules');
  saveRules(scene, []);
  await banner.waitFor({ state: 'detached' });
});

function lastError({ model }: Scene): string {
  const result = model.requests.at(-1)?.conversation.results.at(-1);
  assert.equal(result?.ok, false);
  return result?.errorText ?? '';
}
