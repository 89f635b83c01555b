import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Chunk, ToolChunk } from '../../../../src/base/stream/chunk.ts';
import { createFold } from '../../../../src/base/stream/fold.ts';
import type { ToolState } from '../../../../src/base/stream/stored.ts';

const PLAN = { items: [{ content: 'a', status: 'pending' }] } as const;
const OUTPUT = { type: 'output', data: 'x', metadata: { duration_ms: 1 } } as const;
const START = { type: 'tool-input-start', toolCallId: 'c', toolName: 'read' } as const;
const DELTA = { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"a":1}' } as const;
const AVAILABLE = {
  type: 'tool-input-available',
  toolCallId: 'c',
  toolName: 'read',
  input: { a: 1 },
} as const;
const ASK = { type: 'tool-approval-request', toolCallId: 'c', approvalId: 'p' } as const;
const PROGRESS = { type: 'tool-progress', toolCallId: 'c', display: { title: 't' } } as const;

checkStates('VC-91: one row goes through its states and keeps its input', [
  [START, 'input-streaming'],
  [DELTA, 'input-streaming'],
  [AVAILABLE, 'input-available'],
  [{ type: 'tool-output-available', toolCallId: 'c', output: OUTPUT }, 'output-available'],
]);
checkStates('an approved call says that it was answered', [
  [START, 'input-streaming'],
  [AVAILABLE, 'input-available'],
  [ASK, 'approval-requested'],
  [PROGRESS, 'approval-responded'],
  [{ type: 'tool-output-error', toolCallId: 'c', errorText: 'no' }, 'output-error'],
]);
checkStates('a call that runs unasked stays available while it shows progress', [
  [AVAILABLE, 'input-available'],
  [PROGRESS, 'input-available'],
]);
checkStates('a refused call is denied', [
  [AVAILABLE, 'input-available'],
  [ASK, 'approval-requested'],
  [{ type: 'tool-output-denied', toolCallId: 'c', reason: 'no' }, 'output-denied'],
]);
checkStates('an edited call is available again, with its new input', [
  [AVAILABLE, 'input-available'],
  [ASK, 'approval-requested'],
  [AVAILABLE, 'input-available'],
]);
checkStates('arguments that are not JSON are an error', [
  [START, 'input-streaming'],
  [
    { type: 'tool-input-error', toolCallId: 'c', toolName: 'read', input: '{', errorText: 'bad' },
    'output-error',
  ],
]);

function checkStates(name: string, script: readonly (readonly [ToolChunk, ToolState])[]) {
  test(name, () => {
    const fold = createFold();
    const states = script.map(([chunk]) => {
      fold.apply(chunk);
      const [part, ...others] = fold.parts;
      assert.deepEqual(others, []);
      return part && 'state' in part ? part.state : undefined;
    });
    assert.deepEqual(
      states,
      script.map(([, state]) => state),
    );
    const [part] = fold.parts;
    const hasInput = script.some(([chunk]) => chunk.type === 'tool-input-available');
    if (hasInput) assert.deepEqual(part && 'input' in part ? part.input : undefined, { a: 1 });
  });
}

test("the model's text of arguments is kept until the call runs or ends, and only if it is given", () => {
  const fold = createFold();
  const text = () => fold.parts.map((part) => ('inputText' in part ? part.inputText : undefined));
  const texts = [START, DELTA, { ...AVAILABLE, inputText: '{"a": 1}' }, ASK, PROGRESS].map(
    (chunk) => {
      fold.apply(chunk);
      return text();
    },
  );
  assert.deepEqual(texts, [[''], ['{"a":1}'], ['{"a": 1}'], ['{"a": 1}'], [undefined]]);
  fold.apply(AVAILABLE);
  assert.deepEqual(text(), [undefined]);
});

test('absent fields of a display are unchanged', () => {
  const fold = createFold();
  fold.apply({ ...START, display: { title: 'one', kind: 'read' } });
  fold.apply(AVAILABLE);
  fold.apply({ type: 'tool-progress', toolCallId: 'c', display: { title: 'two' } });
  fold.apply({ ...AVAILABLE, type: 'tool-input-available', display: { locations: [] } });
  const [part] = fold.parts;
  assert.deepEqual(part && 'display' in part ? part.display : undefined, {
    title: 'two',
    kind: 'read',
    locations: [],
  });
});

test('CS-94: text grows, data is kept, transient data and marks leave nothing', () => {
  const script: Chunk[] = [
    { type: 'start' },
    { type: 'start-step' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'a' },
    { type: 'reasoning-start', id: 't' },
    { type: 'reasoning-delta', id: 't', delta: 'r' },
    { type: 'text-delta', id: 't', delta: 'b' },
    { type: 'text-end', id: 't' },
    { type: 'data-plan', id: 'x', data: { items: [] } },
    { type: 'data-plan', id: 'x', data: PLAN },
    { type: 'data-mode', data: { modeId: 'm' }, transient: true },
    { type: 'data-acp-update', data: { a: 1 } },
    { type: 'data-acp-update', data: { a: 2 }, transient: true },
    { type: 'error', errorText: 'e', fault: { kind: 'stalled', retryable: true } },
    { type: 'finish-step' },
    { type: 'finish', finishReason: 'error' },
  ];
  const fold = createFold();
  for (const chunk of script) fold.apply(chunk);
  assert.deepEqual(fold.parts, [
    { type: 'data-step', data: {} },
    { type: 'text', text: 'ab' },
    { type: 'reasoning', text: 'r' },
    { type: 'data-plan', data: PLAN },
    { type: 'data-acp-update', data: { a: 1 } },
    { type: 'data-error', data: { errorText: 'e', fault: { kind: 'stalled', retryable: true } } },
  ]);
});

test('chunks of a call or text that never started are ignored', () => {
  const fold = createFold();
  const script: Chunk[] = [DELTA, ASK, PROGRESS, { type: 'text-delta', id: 'x', delta: 'x' }];
  assert.deepEqual(
    script.map((chunk) => fold.apply(chunk)),
    script.map(() => undefined),
  );
  assert.deepEqual(fold.parts, []);
});

test('updates of a compaction are merged, and its summary grows', () => {
  const fold = createFold();
  const news = [
    { status: 'in_progress' },
    { status: 'in_progress', summaryDelta: 'So ' },
    { status: 'in_progress', summaryDelta: 'far.' },
    { status: 'completed' },
    { status: 'in_progress', summaryDelta: ' Late.' },
  ] as const;
  for (const data of news) fold.apply({ type: 'data-compaction', id: 'c1', data });
  assert.deepEqual(fold.parts, [
    {
      type: 'data-compaction',
      data: { id: 'c1', status: 'completed', summary: 'So far. Late.' },
    },
  ]);
});

test("a hosted agent's call is one row: absent and null fields have not changed", () => {
  const fold = createFold();
  const hosted = { type: 'tool-hosted', toolCallId: 'h', toolName: 'read' } as const;
  const changes = [
    fold.apply({
      ...hosted,
      state: 'input-available',
      input: { path: 'a' },
      update: { sessionUpdate: 'tool_call', toolCallId: 'h', title: 'Read a', status: 'pending' },
    }),
    fold.apply({
      ...hosted,
      toolName: 'other',
      update: { sessionUpdate: 'tool_call_update', toolCallId: 'h', title: null, content: [] },
    }),
    fold.apply({
      ...hosted,
      state: 'output-available',
      output: OUTPUT,
      update: { sessionUpdate: 'tool_call_update', toolCallId: 'h', status: 'completed' },
    }),
  ];
  assert.deepEqual(
    changes.map((change) => change?.kind),
    ['opened', 'shown', 'state'],
  );
  assert.deepEqual(fold.parts, [
    {
      type: 'tool-read',
      toolCallId: 'h',
      toolName: 'read',
      state: 'output-available',
      input: { path: 'a' },
      output: OUTPUT,
      hosted: { toolCallId: 'h', title: 'Read a', status: 'completed', content: [] },
    },
  ]);
});
