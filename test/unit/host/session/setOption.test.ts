import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { BUILT_IN_AGENT } from '../../../../src/agentDefinitions/builtIn.ts';
import { createClient } from '../../../../src/host/client/client.ts';
import { type HostServices, openHostServices } from '../../../../src/host/services/hostServices.ts';
import { SessionRules } from '../../../../src/host/session/policy/sessionRules.ts';
import { Sessions } from '../../../../src/host/session/sessions.ts';
import { place } from '../../built/program.ts';
import { temporary } from '../harness.ts';

const LOST = new Error('The connection is lost.');

/** A session of a host whose client takes no updates. */
async function openBed(t: TestContext, change: (services: HostServices) => HostServices) {
  const data = await temporary(t);
  await place(data, {
    'agents/docs.md': '---\nname: docs\ndescription: Docs.\n---\nWrite docs.\n',
  });
  const env = { GATEHOUSE_DATA: data, GATEHOUSE_CONFIG: path.join(data, 'settings.json') };
  const warnings: string[] = [];
  const lost = () => Promise.reject(LOST);
  const client = createClient({ request: lost, notify: lost }, { protocolVersion: 1 });
  const warn = (text: string) => void warnings.push(text);
  const services = openHostServices({ client, env, warn });
  t.after(() => services.dispose());
  const sessions = new Sessions(change(services));
  const { sessionId } = await sessions.create({ cwd: data, mcpServers: [] });
  const agent = () => {
    const stored = services.recorder.session(sessionId)?.agent;
    return [sessions.get(sessionId).definition.name, stored];
  };
  return { sessions, sessionId, warnings, agent };
}

test('an option that was set answers, although the update about it could not be sent', async (t) => {
  const { sessions, sessionId, warnings, agent } = await openBed(t, (services) => services);
  const change = { sessionId, configId: 'agent', value: 'docs' };
  const { configOptions } = await sessions.setConfigOption(change);
  assert.equal(configOptions.find(({ id }) => id === 'agent')?.currentValue, 'docs');
  assert.deepEqual(agent(), ['docs', 'docs']);
  assert.deepEqual(await sessions.setMode({ sessionId, modeId: BUILT_IN_AGENT.name }), {});
  assert.deepEqual(agent(), [BUILT_IN_AGENT.name, BUILT_IN_AGENT.name]);
  // The next connection gets the options with the session.
  assert.deepEqual(warnings, []);
});

test('an agent or rule that can not be stored is not used either', async (t) => {
  const fail = () => {
    throw new Error('The disk is full.');
  };
  const { sessions, sessionId, agent } = await openBed(t, (services) => ({
    ...services,
    recorder: { ...services.recorder, setAgent: fail },
  }));
  const change = sessions.setMode({ sessionId, modeId: 'docs' });
  await assert.rejects(change, /The disk is full/);
  assert.deepEqual(agent(), [BUILT_IN_AGENT.name, BUILT_IN_AGENT.name]);
  const { configOptions } = await sessions.get(sessionId).choices();
  const current = configOptions.find(({ id }) => id === 'agent')?.currentValue;
  assert.equal(current, BUILT_IN_AGENT.name);

  const rules = new SessionRules({ permissions: () => [], setPermissions: fail }, sessionId);
  const rule = { permission: 'bash', pattern: 'ls', action: 'allow', source: 'session' } as const;
  assert.throws(() => rules.add([{ ...rule, added_at: 0 }]), /The disk is full/);
  assert.deepEqual(rules.patterns, []);
});
