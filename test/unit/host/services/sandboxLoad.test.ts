import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { createClient } from '../../../../src/host/client/client.ts';
import { temporary } from '../harness.ts';

/** The modules that were loaded since the hooks were registered, relative to `src`. */
const loaded: string[] = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url.split('/src/').at(-1) ?? '');
    return next(url, context);
  },
});

test('opening a session loads nothing that builds or tests a sandbox', async (t) => {
  const data = await temporary(t);
  const { openHostServices } = await import('../../../../src/host/services/hostServices.ts');
  const { Sessions } = await import('../../../../src/host/session/sessions.ts');
  const client = createClient(
    { request: () => Promise.reject(new Error('nobody is connected')), notify: async () => {} },
    { protocolVersion: 1 },
  );
  const env = { GATEHOUSE_DATA: data, GATEHOUSE_CONFIG: path.join(data, 'settings.json') };
  const services = openHostServices({ client, env, warn: assert.fail });
  const sessions = new Sessions(services);
  t.after(async () => {
    await sessions.leaveAll();
    await services.dispose();
  });
  const { sessionId } = await sessions.create({ cwd: data, mcpServers: [] });
  await sessions.close(sessionId);
  await sessions.load({ sessionId, cwd: data, mcpServers: [] });
  assert.ok(loaded.includes('runtime/sandbox/linux/programs.ts'));
  const building = ['createSandbox', 'selfTest', 'openCopy', 'egress/proxy'];
  for (const name of building) assert.ok(!loaded.includes(`runtime/sandbox/${name}.ts`), name);
});
