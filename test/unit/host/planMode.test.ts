import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type {
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import { openRecorder } from '../../../src/recorder/recorder.ts';
import type { ModelRequest, Reply } from '../../tour/server.ts';
import {
  type Connected,
  connect,
  type HostSetUp,
  newSession,
  prompt,
  requests,
  until,
} from './harness.ts';

const PLAN = { tool: 'plan_exit', input: { plan: '1. Write.' } };
const WRITE = { tool: 'write', input: { path: 'a.txt', content: 'x' } };
const QUESTION = { tool: 'question', input: { questions: [{ question: 'Which?' }] } };
const ALLOW = { outcome: { outcome: 'selected', optionId: 'allow' } } as const;
const DENY = { outcome: { outcome: 'selected', optionId: 'reject' } } as const;

type Permission = (request: RequestPermissionRequest) => Promise<RequestPermissionResponse>;

const never: Permission = () => new Promise<RequestPermissionResponse>(() => undefined);

/** Approves what is asked; of a plan, this text. */
function approving(text?: string): Permission {
  return async ({ toolCall }) => {
    const [part] = toolCall.content ?? [];
    if (toolCall.name !== 'plan_exit' || text === undefined || part?.type !== 'diff') return ALLOW;
    return { ...ALLOW, _meta: { gatehouse: { approved: [{ path: part.path, text }] } } };
  };
}

/** A host whose model plans when it is asked to plan, and else writes a file. `told`: the last results. */
async function openPlanner(
  t: TestContext,
  permission: Permission,
  { steps = [[PLAN], [WRITE]], ...setUp }: HostSetUp & { readonly steps?: Steps } = {},
) {
  const told: string[] = [];
  const script = ({ conversation: { prompt: asked, results } }: ModelRequest): Reply => {
    told.push(...results.slice(-1).map((each) => JSON.stringify(each)));
    const made = asked === 'Plan.' ? steps : [[WRITE]];
    let before = 0;
    for (const calls of made) {
      if (before === results.length) return { calls };
      before += calls.length;
    }
    return { text: 'Done.' };
  };
  const host = await connect(t, {
    ...setUp,
    script,
    client: {
      capabilities: {
        elicitation: { form: {} },
        _meta: { gatehouse: { v: 1, saveRule: true } },
      },
      permission,
      ...setUp.client,
    },
  });
  return { host, told };
}

type Steps = readonly (readonly { readonly tool: string; readonly input: unknown }[])[];

async function openPlan(host: Connected): Promise<string> {
  const sessionId = await newSession(host);
  await host.agent.request('session/set_mode', { sessionId, modeId: 'plan' });
  return sessionId;
}

function load({ agent, workspace }: Connected, sessionId: string) {
  return agent.request('session/load', { sessionId, cwd: workspace, mcpServers: [] });
}

const lastMode = ({ updates }: Connected) =>
  updates
    .flatMap(({ update }) =>
      update.sessionUpdate === 'current_mode_update' ? [update.currentModeId] : [],
    )
    .at(-1);

const isWritten = ({ workspace }: Connected) => existsSync(path.join(workspace, 'a.txt'));

const askedPlans = (host: Connected) =>
  requests(host, 'session/request_permission')
    .map(({ params }) => Object(params))
    .filter(({ toolCall }) => toolCall.name === 'plan_exit');

test('CS-35: the approved plan, as the user edited it, is carried out by the next message and not by the running turn', async (t) => {
  const { host, told } = await openPlanner(t, approving('1. Write, edited.'));
  const sessionId = await openPlan(host);
  await prompt(host, sessionId, 'Plan.');
  assert.match(told[0] ?? '', /"approved":"1\. Write, edited\."/);
  assert.match(told[1] ?? '', /"ok":false/, 'the turn stays in plan mode');
  await until(() => lastMode(host) === 'gatehouse', 'the mode is told');
  assert.equal(isWritten(host), false);
  await prompt(host, sessionId, 'Go.');
  assert.equal(isWritten(host), true);
  await host.stop();
  const recorder = openRecorder(path.join(host.data, 'state/gatehouse.db'));
  const agents = recorder.messages(sessionId).map(({ role, metadata }) => [role, metadata.agent]);
  assert.equal(recorder.session(sessionId)?.agent, 'plan');
  recorder.close();
  assert.deepEqual(agents, [
    ['user', undefined],
    ['assistant', 'plan'],
    ['user', 'build'],
    ['assistant', 'gatehouse'],
  ]);
});

test('CS-66: a message that waits behind the plan begins in the mode that the client was told', async (t) => {
  const { host } = await openPlanner(t, approving());
  const sessionId = await openPlan(host);
  const planned = prompt(host, sessionId, 'Plan.');
  const built = prompt(host, sessionId, 'Go.');
  await Promise.all([planned, built]);
  assert.equal(isWritten(host), true);
  const at = (found: (update: SessionUpdate) => boolean) =>
    host.updates.findIndex(({ update }) => found(update));
  const told = at(
    (update) =>
      update.sessionUpdate === 'current_mode_update' && update.currentModeId === 'gatehouse',
  );
  // The first one is that of the plan, which is refused.
  const write = host.updates.findLastIndex(
    ({ update }) => update.sessionUpdate === 'tool_call' && update.name === 'write',
  );
  assert.ok(told > 0 && told < write, `told at ${told}, before the work at ${write}`);
});

test('CS-36: the plan is asked about as a document, which is no file; denied, the session stays in plan mode', async (t) => {
  const { host, told } = await openPlanner(t, async ({ toolCall }) =>
    toolCall.name === 'plan_exit'
      ? { ...DENY, _meta: { gatehouse: { reason: 'Shorter.' } } }
      : ALLOW,
  );
  const sessionId = await openPlan(host);
  await prompt(host, sessionId, 'Plan.');
  const [{ toolCall }] = askedPlans(host);
  const [content] = toolCall.content;
  assert.equal(content.newText, '1. Write.');
  assert.equal(content.oldText, null);
  assert.equal(content._meta.gatehouse.document, true);
  assert.equal(existsSync(content.path), false);
  assert.equal(toolCall.locations, undefined, 'there is no file to follow');
  assert.match(told[0] ?? '', /Shorter\./);
  await prompt(host, sessionId, 'Go.');
  assert.equal(isWritten(host), false);
  assert.equal((await load(host, sessionId)).modes?.currentModeId, 'plan');
});

test('CS-35: the approval outlives the host, and a choice of mode ends it', async (t) => {
  const first = await openPlanner(t, approving());
  const sessionId = await openPlan(first.host);
  await prompt(first.host, sessionId, 'Plan.');
  const { data, workspace } = first.host;
  await first.host.stop();
  const { host } = await openPlanner(t, approving(), { data, workspace });
  const { modes } = await load(host, sessionId);
  assert.equal(modes?.currentModeId, 'gatehouse');
  await host.agent.request('session/set_mode', { sessionId, modeId: 'plan' });
  await prompt(host, sessionId, 'Go.');
  assert.equal(isWritten(host), false, 'the user went back to planning');
  await host.agent.request('session/set_mode', { sessionId, modeId: 'gatehouse' });
  await prompt(host, sessionId, 'Go.');
  assert.equal(isWritten(host), true);
});

test('CS-35: after a restart, the approved plan is carried out by the next message', async (t) => {
  const first = await openPlanner(t, approving());
  const sessionId = await openPlan(first.host);
  await prompt(first.host, sessionId, 'Plan.');
  const { data, workspace } = first.host;
  await first.host.stop();
  const { host } = await openPlanner(t, approving(), { data, workspace });
  await load(host, sessionId);
  await prompt(host, sessionId, 'Go.');
  assert.equal(isWritten(host), true);
});

test('CS-36: a plan that waits for the user is asked about again after a restart, under the same call', async (t) => {
  const first = await openPlanner(t, never);
  const sessionId = await openPlan(first.host);
  const running = prompt(first.host, sessionId, 'Plan.').catch(() => undefined);
  await until(() => askedPlans(first.host).length === 1, 'the plan is asked about');
  const { data, workspace } = first.host;
  await first.host.stop();
  await running;
  const { host, told } = await openPlanner(t, approving('2. Edited.'), { data, workspace });
  await load(host, sessionId);
  await host.agent.request('_gatehouse/continue', { sessionId });
  assert.deepEqual(askedPlans(host)[0]?.toolCall, askedPlans(first.host)[0]?.toolCall);
  assert.match(told[0] ?? '', /"approved":"2\. Edited\."/);
  assert.equal(isWritten(host), false, 'the turn that goes on is still a plan');
  await prompt(host, sessionId, 'Go.');
  assert.equal(isWritten(host), true);
});

test('CS-35: a turn that broke off after the approval goes on as the agent that planned', async (t) => {
  const steps = [[PLAN], [QUESTION], [WRITE]];
  const asked = Promise.withResolvers<void>();
  const hanging = () => {
    asked.resolve();
    return new Promise<never>(() => undefined);
  };
  const first = await openPlanner(t, approving(), { steps, client: { elicit: hanging as never } });
  const sessionId = await openPlan(first.host);
  const running = prompt(first.host, sessionId, 'Plan.').catch(() => undefined);
  await asked.promise;
  const { data, workspace } = first.host;
  await first.host.stop();
  await running;
  const elicit = () => ({ action: 'accept', content: { q0: 'This.' } }) as const;
  const { host, told } = await openPlanner(t, approving(), {
    ...{ data, workspace, steps, client: { elicit } },
  });
  await load(host, sessionId);
  await host.agent.request('_gatehouse/continue', { sessionId });
  assert.match(told.at(-1) ?? '', /"ok":false/, 'the plan agent can write nothing');
  assert.equal(isWritten(host), false);
  await prompt(host, sessionId, 'Go.');
  assert.equal(isWritten(host), true, 'the approval counts for the next message');
});

test('CS-35: a rewind to before the approval withdraws it, and undoing the rewind brings it again', async (t) => {
  const { host } = await openPlanner(t, approving());
  const sessionId = await openPlan(host);
  const mode = async () => (await load(host, sessionId)).modes?.currentModeId;
  await prompt(host, sessionId, 'Plan.');
  assert.equal(await mode(), 'gatehouse');
  await host.agent.request('_gatehouse/rewind', { sessionId });
  assert.equal(await mode(), 'plan');
  await host.agent.request('_gatehouse/unrewind', { sessionId });
  assert.equal(await mode(), 'gatehouse');
  await host.agent.request('_gatehouse/rewind', { sessionId });
  await prompt(host, sessionId, 'Go.');
  assert.equal(isWritten(host), false, 'nothing is approved any more');
});

test('CS-35: an imported session and a fork bring no approval', async (t) => {
  const { host } = await openPlanner(t, approving());
  const sessionId = await openPlan(host);
  await prompt(host, sessionId, 'Plan.');
  const fork = Object(await host.agent.request('_gatehouse/fork_session', { sessionId }));
  const file = path.join(host.data, 'session.jsonl');
  await host.agent.request('_gatehouse/export_session', { sessionId, format: 'jsonl', file });
  const imported = Object(await host.agent.request('_gatehouse/import_session', { file }));
  for (const copy of [fork, imported]) {
    const { modes } = await load(host, copy.sessionId);
    assert.equal(modes?.currentModeId, 'plan');
  }
});

test('CS-36: no plan that nobody can read is asked about: empty, blank or of 10 MB', async (t) => {
  const plans = ['', ' \n', 'x'.repeat(10_000_000)];
  const steps = plans.map((plan) => [{ tool: 'plan_exit', input: { plan } }]);
  const { host, told } = await openPlanner(t, approving(), { steps });
  const sessionId = await openPlan(host);
  await prompt(host, sessionId, 'Plan.');
  assert.equal(askedPlans(host).length, 0);
  assert.equal(told.length, plans.length);
  for (const each of told) assert.match(each, /Invalid arguments for plan_exit: plan/);
});

test('CS-36: a subagent has no plan mode to leave, whatever its name', async (t) => {
  const task = { tool: 'task', input: { subagent_type: 'plan', prompt: 'Plan.' } };
  const told: string[] = [];
  const host = await connect(t, {
    script: ({ conversation: { prompt: asked, results } }) => {
      told.push(...results.slice(-1).map((each) => JSON.stringify(each)));
      if (results.length > 0) return { text: 'Done.' };
      return { calls: [asked === 'Plan.' ? PLAN : task] };
    },
    client: { permission: approving() },
  });
  mkdirSync(path.join(host.data, 'agents'), { recursive: true });
  const file = path.join(host.data, 'agents/plan.md');
  writeFileSync(file, '---\ndescription: Plans.\nmode: all\n---\nPlan.\n');
  await prompt(host, await newSession(host), 'Delegate.');
  assert.match(told[0] ?? '', /no plan mode/);
  assert.equal(askedPlans(host).length, 0);
});
