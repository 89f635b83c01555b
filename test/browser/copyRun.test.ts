import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../workbench/processes.ts';
import { press } from './card.ts';
import { openRequest, pickByKeys } from './pick.ts';
import { openScene, type Scene, sharedStage } from './scene.ts';

const SCRIPT =
  "printf new > one.txt; printf made > two.txt; rm three.txt; printf 'a\\0b' > data.bin; chmod 755 one.txt";

/** A window in which commands that no rule decides run in a copy, and files for one to change. */
async function openCopyScene(t: TestContext): Promise<Scene> {
  const { server } = await sharedStage();
  const settings = path.join(server.home, 'data/Machine/settings.json');
  const before = existsSync(settings) ? readFileSync(settings, 'utf8') : undefined;
  mkdirSync(path.dirname(settings), { recursive: true });
  writeFileSync(settings, JSON.stringify({ 'gatehouse.sandbox.autoRun': true }));
  t.after(() => {
    if (before === undefined) rmSync(settings);
    else writeFileSync(settings, before);
  });
  return openScene(t, { fresh: true });
}

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
  const scene = await openCopyScene(t);
  const { chat, model, workbench } = scene;
  const call = { calls: [{ tool: 'bash', input: { command: 'bash change.sh' } }] };
  for (const way of ['mouse', 'keyboard'] as const) {
    const text = prepare(scene);
    model.script(call, { text: `Done by ${way}.` });
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
    if (way === 'mouse') await press(scene, 'Allow');
    else {
      await openRequest(workbench);
      await pickByKeys(workbench, 'Allow');
    }
    await chat.said(`Done by ${way}.`);
    await until('the files', () => text('one.txt') === 'new' || undefined);
    await until('the binary file', () => text('data.bin') === 'a\0b' || undefined);
    assert.deepEqual([text('two.txt'), text('three.txt')], ['made', undefined]);
    const mode = () => statSync(path.join(scene.sample.folder, 'one.txt')).mode & 0o777;
    assert.equal(mode(), 0o755);
    await chat.frame.getByText('Ran in a copy by the rule').first().waitFor({ state: 'attached' });
    await workbench.screenshot(`copy-ran-${way}`);
    await workbench.page.locator('.statusbar-item [aria-label*="Sandbox: tested"]').waitFor();
    const told = JSON.stringify(model.requests.at(-1)?.body['messages']);
    assert.match(told, /ran in a copy of the workspace\. 4 files that it changed/);
  }
});
