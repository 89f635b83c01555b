import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { createClient } from '../../../../src/host/client/client.ts';
import { openHostServices } from '../../../../src/host/services/hostServices.ts';
import { openRecorder } from '../../../../src/recorder/recorder.ts';
import { createManualClock } from '../../../tour/manualClock.ts';
import { temporary, until } from '../harness.ts';

test('a large history is checked 10 s after the start; one that is damaged is told', async (t) => {
  const data = await temporary(t);
  const file = path.join(data, 'state', 'gatehouse.db');
  damage(file);
  const warnings: string[] = [];
  const clock = createManualClock();
  const nothing = () => Promise.reject(new Error('nobody is connected'));
  const client = createClient({ request: nothing, notify: nothing }, { protocolVersion: 1 });
  const env = { GATEHOUSE_DATA: data, GATEHOUSE_CONFIG: path.join(data, 'settings.json') };
  const warn = (text: string) => void warnings.push(text);
  const services = openHostServices({ client, env, warn, clock });
  t.after(() => services.dispose());
  clock.advance(9_999);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(warnings, []);
  clock.advance(1);
  await until(() => warnings.some((text) => /damaged/.test(text)), 'the damage is told');
});

test('a host that ends before does not wait for the check', async (t) => {
  const data = await temporary(t);
  const clock = createManualClock();
  const nothing = () => Promise.reject(new Error('nobody is connected'));
  const client = createClient({ request: nothing, notify: nothing }, { protocolVersion: 1 });
  const env = { GATEHOUSE_DATA: data, GATEHOUSE_CONFIG: path.join(data, 'settings.json') };
  const services = openHostServices({ client, env, warn: assert.fail, clock });
  assert.ok(clock.waiting.includes(10_000));
  await services.dispose();
  assert.equal(clock.waiting.includes(10_000), false);
});

/** A history of 12 MB, too large to be checked when it is opened, with broken pages in its middle. */
function damage(file: string): void {
  const recorder = openRecorder(file);
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
  recorder.together(() => {
    for (let count = 0; count < 1_200; count++) {
      recorder.addUserMessage(id, [{ type: 'text', text: `${count} `.repeat(2_000) }]);
    }
  });
  recorder.close();
  const bytes = readFileSync(file);
  assert.ok(bytes.length > 9 * 1024 * 1024);
  writeFileSync(file, bytes.fill(0xff, 4096 * 900, 4096 * 904));
}
