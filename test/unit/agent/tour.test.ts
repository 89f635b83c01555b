import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemPrompt } from '../../../src/agent/prompt/systemPrompt.ts';
import type { Chunk } from '../../../src/base/stream/chunk.ts';
import type { Envelope } from '../../../src/base/stream/envelope.ts';
import { DEFAULT_LIMITS } from '../../../src/runtime/limits.ts';
import type { ToolRequest } from '../../../src/tools/call.ts';
import { createView, output, playTurn, READ, userMessage } from '../../tour/playTurn.ts';
import { createTour } from '../../tour/tour.ts';

const SAMPLE = path.join(import.meta.dirname, '../../fixtures/sample');
const FIX = 'Fix the failing test';

test('the tour reads two files at once, asks, edits, runs the test and sums up', async (context) => {
  const { calls, text } = await play(context, FIX, {});
  assert.deepEqual(calls, [
    { tool: 'read', input: { path: '/ws/src/sum.js' } },
    { tool: 'read', input: { path: '/ws/test/sum.test.js' } },
    { tool: 'question', input: calls[2]?.input },
    {
      tool: 'edit',
      input: { path: '/ws/src/sum.js', old_string: 'let total = 1;', new_string: 'let total = 0;' },
    },
    { tool: 'bash', input: { command: 'node --test', description: 'Run the tests' } },
  ]);
  assert.match(text, /Fixed: the test passes/);
  assert.match(text, /\| File \| Change \|/);
  // Settings have no effect beside the environment that the tour comes from.
  assert.match(text, /Focus on Permissions View\*\*.*set `GATEHOUSE_MODEL_BASE_URL`/);
});

test('the edit of the tour fits the sample exactly once', () => {
  const source = readFileSync(path.join(SAMPLE, 'src/sum.js'), 'utf8');
  assert.equal(source.split('let total = 1;').length, 2);
});

test('a rejected edit ends the tour with what was not done', async (context) => {
  const { calls, text } = await play(context, FIX, {
    edit: refused('The user rejected this call.'),
  });
  assert.equal(calls.at(-1)?.tool, 'edit');
  assert.match(text, /The edit was \*\*not made\*\*: The user rejected this call\./);
});

test('a denied command ends the tour with what was not checked', async (context) => {
  const { text } = await play(context, FIX, { bash: refused('A rule denies it.') });
  assert.match(
    text,
    /\*\*not run\*\*: A rule denies it\.[\s\S]*sum\.js` is changed, but I have not checked/,
  );
});

test('a test that still fails is reported', async (context) => {
  const { text } = await play(context, FIX, { bash: output({ exit_code: 1 }) });
  assert.match(text, /ended with exit code 1/);
});

test('"Only explain" changes nothing', async (context) => {
  const { calls, text } = await play(context, FIX, {
    question: output({ answers: [['Only explain']] }),
  });
  assert.equal(calls.at(-1)?.tool, 'question');
  assert.match(text, /Nothing was changed/);
});

test('without a user the tour goes on with the smallest change', async (context) => {
  const { calls } = await play(context, FIX, { question: refused('No user is there.') });
  assert.equal(calls.at(-1)?.tool, 'bash');
});

test('another folder ends the tour', async (context) => {
  const { calls, text } = await play(context, FIX, { read: refused('no such file') });
  assert.equal(calls.length, 2);
  assert.match(text, /could not read a file.*no such file/);
});

test('code that is already fixed is only tested', async (context) => {
  const { calls } = await play(context, FIX, { read: output('let total = 0;') });
  assert.deepEqual(
    calls.map(({ tool }) => tool),
    ['read', 'read', 'bash'],
  );
});

test('any other prompt says what this is and what to type', async (context) => {
  const { text } = await play(context, 'hello', {});
  assert.match(text, /scripted tour[\s\S]*fix the failing test/);
});

test('#tools makes one call of each offered kind', async (context) => {
  const { calls } = await play(context, '#tools', {});
  assert.deepEqual(
    calls.map(({ tool }) => tool),
    ['read', 'edit', 'bash', 'question'],
  );
});

test('#call makes the call that is written', async (context) => {
  const { calls, text } = await play(context, '#call bash {"command":"sleep 60"}', {});
  assert.deepEqual(calls, [{ tool: 'bash', input: { command: 'sleep 60' } }]);
  assert.match(text, /`bash` is done/);
});

test('#long N is N kilobytes long', async (context) => {
  const { text } = await play(context, '#long 30', {});
  assert.equal(text.length, 30 * 1024);
});

checkFault('401', 'unauthorized', true);
checkFault('500', 'server-error', true);
checkFault('context', 'context-length', false);
checkFault('down', 'unreachable', true);
checkFault('broken', 'broken-stream', true);
checkFault('reset', 'broken-stream', true);
checkFault('no-finish', 'broken-stream', true);
checkFault('overloaded', 'server-error', true);

function checkFault(name: string, kind: string, retryable: boolean) {
  test(`#fault-${name} is a fault of kind ${kind}`, async (context) => {
    const { chunks } = await play(context, `#fault-${name}`, {});
    const faults = chunks.flatMap((chunk) => (chunk.type === 'error' ? [chunk.fault] : []));
    assert.deepEqual(
      faults.map((fault) => [fault?.kind, fault?.retryable]),
      [[kind, retryable]],
    );
  });
}

test('#fault-…-once is well the second time', async (context) => {
  const { view } = await createView(context, createTour(), {
    messages: [userMessage('#fault-401-once')],
  });
  const first = await playTurn(view);
  const second = await playTurn(view);
  assert.deepEqual(
    [first.at(-1), second.at(-1)],
    [
      { type: 'finish', finishReason: 'error' },
      { type: 'finish', finishReason: 'stop' },
    ],
  );
});

/** Plays one prompt with tools that always succeed, but for those `results` names. */
async function play(
  context: TestContext,
  prompt: string,
  results: Readonly<Record<string, Envelope>>,
): Promise<{
  readonly chunks: readonly Chunk[];
  readonly calls: readonly Omit<ToolRequest, 'toolCallId'>[];
  readonly text: string;
}> {
  const calls: Omit<ToolRequest, 'toolCallId'>[] = [];
  const tools = ['read', 'edit', 'bash', 'question'].map((id) => ({ ...READ, id }));
  const environment = { platform: 'linux', root: '/ws', now: 0, model: 'm' } as const;
  const { view } = await createView(context, createTour(), {
    system: systemPrompt({ agent: 'x', environment, tools: tools.length }).text,
    messages: [userMessage(prompt)],
    tools,
    limits: { ...DEFAULT_LIMITS, modelRetries: 1 },
    call: async ({ tool, input }) => {
      calls.push({ tool, input });
      return results[tool] ?? SUCCESS[tool] ?? output('done');
    },
  });
  const chunks = await playTurn(view);
  const text = chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('');
  return { chunks, calls, text };
}

const SUCCESS: Readonly<Record<string, Envelope>> = {
  read: output('1\texport function sum() {\n2\t  let total = 1;'),
  question: output({ answers: [['Fix the code']] }),
  bash: output({ exit_code: 0 }),
};

function refused(error_text: string): Envelope {
  return { type: 'error', error_text, metadata: { duration_ms: 1 } };
}
