import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { createClient } from '../../../../../src/host/client/client.ts';
import { openHostServices } from '../../../../../src/host/services/hostServices.ts';
import { Sessions } from '../../../../../src/host/session/sessions.ts';
import { startModelServer } from '../../../../tour/server.ts';
import { temporary } from '../../harness.ts';

test("C-58: the watchdog is asked about a child session's calls, given the child's definition", async (t) => {
  const data = await temporary(t);
  const given = path.join(data, 'given.jsonl');
  const line = `cat >> ${given}; echo >> ${given}; echo '{"verdict": "deny", "reason": "not today"}'`;
  const settings = {
    'gatehouse.watchdog.command': ['sh', '-c', line],
    // A busy machine may take seconds to start a program.
    'gatehouse.limits.watchdogMs': 60_000,
  };
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify(settings));
  mkdirSync(path.join(data, 'agents'));
  const agent = '---\ndescription: Helps.\nmode: subagent\ntools: [todo]\n---\n';
  writeFileSync(path.join(data, 'agents/sub.md'), agent);
  const call = { tool: 'todo', input: { items: [] } };
  const model = await startModelServer({ script: [{ calls: [call] }, { text: 'Done.' }] });
  const peer = {
    request: () => Promise.reject(new Error('nothing is asked of this client')),
    notify: async () => undefined,
  };
  const services = openHostServices({
    client: createClient(peer, { protocolVersion: 1, clientCapabilities: {} }),
    env: {
      PATH: process.env['PATH'],
      GATEHOUSE_DATA: data,
      GATEHOUSE_CONFIG: path.join(data, 'settings.json'),
      GATEHOUSE_MODEL_BASE_URL: model.url,
      GATEHOUSE_MODEL_ID: 'scripted',
    },
    warn: () => undefined,
  });
  t.after(async () => {
    await services.dispose();
    await model.stop();
  });
  const sessions = new Sessions(services);
  const terms = { additionalDirectories: [], approval: 'ask', canAsk: false, cwd: data } as const;
  const parent = await sessions.start(terms);
  const child = await sessions.start({ ...terms, agent: 'sub', parent: parent.id });
  await child.prompt([{ type: 'text', text: 'Go.' }]);
  const calls = readFileSync(given, 'utf8').trim().split('\n');
  assert.deepEqual(
    calls
      .map((text) => JSON.parse(text))
      .map((each) => [each.sessionId, each.tool, each.input, each.manifest.name]),
    [[child.id, 'todo', { items: [] }, 'sub']],
  );
  assert.match(JSON.stringify(services.recorder.messages(child.id)), /not today/);
});
