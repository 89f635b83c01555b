import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { type ClientAnswers, type Message, startAcpProcess } from '../../tour/acpProcess.ts';
import { toRecord, toRecords } from '../../tour/conversation.ts';
import { MODEL_ID, startModelServer } from '../../tour/server.ts';
import { createTour } from '../../tour/tour.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const PROMPT = 'fix the failing test';

test('the tour fixes the sample through the host: nothing is on disk before the approval', async (context) => {
  const onDisk: string[] = [];
  const walk = await start(context, {
    'session/request_permission': (params) => {
      onDisk.push(walk.source());
      return select(params, 'allow_once');
    },
  });

  const reply = await walk.prompt(PROMPT);

  assert.deepEqual(reply, { stopReason: 'end_turn' });
  assert.match(onDisk[0] ?? '', /let total = 1;/);
  assert.match(walk.source(), /let total = 0;/);
  assert.match(walk.text(), /Fixed: the test passes/);
  assert.deepEqual(walk.statuses(), [
    'completed',
    'completed',
    'completed',
    'completed',
    'completed',
  ]);
});

test('a rejected edit leaves the file unchanged, and the model is told', async (context) => {
  const walk = await start(context, {
    'session/request_permission': (params) => select(params, 'reject_once'),
  });
  const before = walk.source();
  assert.deepEqual(await walk.prompt(PROMPT), { stopReason: 'end_turn' });
  assert.equal(walk.source(), before);
  assert.match(walk.text(), /The edit was \*\*not made\*\*/);
  assert.deepEqual(walk.statuses(), ['completed', 'completed', 'completed', 'failed']);
});

test('a reopened session shows the same parts in the same order with the same ids', async (context) => {
  const walk = await start(context, {});
  await walk.prompt(PROMPT);
  const shown = walk.messages();
  await walk.agent.end();

  const again = await walk.restart();
  await again.load(walk.sessionId());
  assert.deepEqual(again.messages(), shown);
  assert.deepEqual(again.statuses(), walk.statuses());
});

test('a cancel works at every moment of the walk, and the session goes on', async (context) => {
  let held: Moment = 'text';
  let command: unknown;
  const never = new Promise<never>(() => undefined);
  const walk = await start(context, {
    // When the walk is cancelled, the user has not answered and never will.
    'session/request_permission': (params) => {
      const { kind, toolCallId } = toRecord(params['toolCall']);
      if (kind === 'execute') command = toolCallId;
      return kind === held ? never : select(params, 'allow_once');
    },
    'elicitation/create': () => (held === 'text' || held === 'question' ? never : FIX_CODE),
  });
  const before = walk.source();
  for (const moment of MOMENTS) {
    held = moment;
    walk.restore(before);
    // The command must not end before the cancel arrives, however long that takes.
    if (moment === 'command') walk.hangTests();
    await walk.open();
    const ended = walk.prompt(PROMPT);
    await walk.agent.waitFor((line) => isAt(moment, line, walk.sessionId(), command));
    walk.agent.notify('session/cancel', { sessionId: walk.sessionId() });
    assert.deepEqual([moment, await ended], [moment, { stopReason: 'cancelled' }]);
    const written = moment === 'execute' || moment === 'command';
    assert.equal(walk.source() === before, !written);
    assert.deepEqual(await walk.prompt('hello'), { stopReason: 'end_turn' });
  }
});

const MOMENTS = ['text', 'question', 'edit', 'execute', 'command'] as const;
type Moment = (typeof MOMENTS)[number];

/** Whether a line shows that the walk has come to a moment: the two approvals go by their kind. */
function isAt(moment: Moment, line: Message, sessionId: string, command: unknown): boolean {
  const params = toRecord(line['params']);
  if (params['sessionId'] !== sessionId) return false;
  const { sessionUpdate, toolCallId, status } = toRecord(params['update']);
  switch (moment) {
    case 'text':
      return sessionUpdate === 'agent_message_chunk';
    case 'question':
      return line['method'] === 'elicitation/create';
    case 'command':
      return status === 'in_progress' && toolCallId === command;
    default:
      return toRecord(params['toolCall'])['kind'] === moment;
  }
}

test('an error has its kind, and retrying succeeds', async (context) => {
  const walk = await start(context, {});
  const fault = await walk.prompt('#fault-401-once').catch((error: unknown) => error);
  assert.ok(fault instanceof Error);
  assert.match(fault.message, /rejected the API key \(401\)/);
  assert.deepEqual(toRecord(fault.cause)['kind'], 'unauthorized');
  assert.deepEqual(await walk.prompt('#fault-401-once'), { stopReason: 'end_turn' });
});

test('a long answer streams through whole', async (context) => {
  const walk = await start(context, {});
  await walk.prompt('#long 200');
  assert.equal(walk.text().length, 200 * 1024);
});

function select(params: Message, kind: string) {
  const option = toRecords(params['options']).find((each) => each['kind'] === kind);
  return { outcome: { outcome: 'selected', optionId: option?.['optionId'] } };
}

const FIX_CODE = { action: 'accept', content: { question_0: 'Fix the code' } };

const YES: ClientAnswers = {
  'session/request_permission': (params) => select(params, 'allow_once'),
  'elicitation/create': () => FIX_CODE,
};

async function start(context: TestContext, answers: ClientAnswers) {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-walk-'));
  context.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const workspace = path.join(folder, 'sample');
  cpSync(path.join(ROOT, 'test/fixtures/sample'), workspace, { recursive: true });
  writeFileSync(path.join(folder, 'settings.json'), '{}');
  const server = await startModelServer({ script: createTour() });
  context.after(() => server.stop());
  const env = {
    ...process.env,
    GATEHOUSE_CONFIG: path.join(folder, 'settings.json'),
    GATEHOUSE_DATA: path.join(folder, 'data'),
    GATEHOUSE_MODEL_BASE_URL: server.url,
    GATEHOUSE_MODEL_ID: MODEL_ID,
    GATEHOUSE_MODEL_API_KEY: 'none',
  };
  const connect = () => connectHost(context, { workspace, env, answers: { ...YES, ...answers } });
  const walk = await connect();
  await walk.open();
  return { ...walk, restart: connect };
}

async function connectHost(
  context: TestContext,
  options: {
    readonly workspace: string;
    readonly env: NodeJS.ProcessEnv;
    readonly answers: ClientAnswers;
  },
) {
  const { workspace: cwd, env, answers } = options;
  const main = path.join(ROOT, 'src/host/cli/main.ts');
  const agent = startAcpProcess([process.execPath, main, 'acp'], { cwd, env, answers });
  context.after(() => agent.kill());
  await agent.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: { elicitation: { form: {} } },
  });
  let sessionId = '';
  const updates = () =>
    agent.lines.map((line) => toRecord(toRecord(line['params'])['update'])).filter(isUpdate);
  return {
    agent,
    sessionId: () => sessionId,
    open: async () => {
      const opened = await agent.request('session/new', { cwd, mcpServers: [] });
      sessionId = String(opened['sessionId']);
    },
    load: (id: string) => agent.request('session/load', { sessionId: id, cwd, mcpServers: [] }),
    prompt: (text: string) =>
      agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    source: () => readFileSync(path.join(cwd, 'src/sum.js'), 'utf8'),
    text: () =>
      joinMessages(updates())
        .map(({ text }) => text)
        .join(''),
    messages: () => joinMessages(updates()),
    /** The state of each call, in call order. */
    statuses: () => {
      const calls = new Map<string, string>();
      for (const { toolCallId, status } of updates()) {
        if (typeof toolCallId === 'string' && typeof status === 'string')
          calls.set(toolCallId, status);
      }
      return [...calls.values()];
    },
    restore: (text: string) => writeFileSync(path.join(cwd, 'src/sum.js'), text),
    hangTests: () =>
      writeFileSync(path.join(cwd, 'test/hang.test.js'), 'setTimeout(Object, 600_000);\n'),
  };
}

function isUpdate(update: Message): boolean {
  return typeof update['sessionUpdate'] === 'string';
}

/** The agent's messages by id, joined from their chunks. */
function joinMessages(updates: readonly Message[]): { id: string; text: string }[] {
  const messages = new Map<string, string>();
  for (const { sessionUpdate, messageId, content } of updates) {
    if (sessionUpdate !== 'agent_message_chunk') continue;
    const id = String(messageId);
    messages.set(id, (messages.get(id) ?? '') + String(toRecord(content)['text']));
  }
  return [...messages].map(([id, text]) => ({ id, text }));
}
