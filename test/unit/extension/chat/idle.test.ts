import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startModelServer } from '../../../tour/server.ts';
import { ROOT } from '../../../workbench/paths.ts';
import { until } from '../inProcessHost.ts';
import { openWindow } from '../storedSession.ts';

/** How long nothing may happen, in milliseconds. */
const IDLE = 10_000;

test('after a turn, the extension has no timer and hears nothing of its host for 10 s', async (t) => {
  const data = mkdtempSync(path.join(tmpdir(), 'gatehouse-idle-'));
  const folder = path.join(data, 'work');
  mkdirSync(folder);
  const model = await startModelServer({ script: [{ text: 'Hello.' }] });
  const window = openWindow(data, folder, [path.join(ROOT, 'src/host/cli/main.ts')], {
    GATEHOUSE_MODEL_BASE_URL: model.url,
    GATEHOUSE_MODEL_ID: 'scripted',
  });
  t.after(async () => {
    window.close();
    await model.stop();
    rmSync(data, { recursive: true, force: true, maxRetries: 5 });
  });
  const { chats, clock } = window;
  const session = chats.blank();
  session.watch();
  await chats.send(session, 'Hi.');
  await until(() => (session.state.activity === 'idle' ? true : undefined));
  assert.ok(session.state.items.some((item) => 'text' in item && item.text === 'Hello.'));
  const heard: unknown[] = [];
  chats.onDidChange(({ change }) => heard.push(change));
  let asked = 0;
  // What follows a turn is over within the first of these times: the title, the queue, what a notice
  // waits for. On a busy machine it may take longer.
  for (const settling of [500, 10_000, 60_000]) {
    await delay(settling);
    clock.tick(60_000);
    heard.splice(0);
    asked = clock.asked;
    await delay(IDLE);
    if (heard.length === 0 && clock.waiting === 0 && clock.asked === asked) break;
  }
  assert.deepEqual(heard, []);
  assert.deepEqual([clock.waiting, clock.asked - asked], [0, 0]);
});
