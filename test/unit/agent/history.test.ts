import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toAttachmentParts } from '../../../src/agent/attachments.ts';
import { toModelMessages } from '../../../src/agent/history.ts';
import type { Envelope, EnvelopeMetadata } from '../../../src/base/stream/envelope.ts';
import type { PartBody } from '../../../src/base/stream/fold.ts';
import type { HistoryMessage } from '../../../src/base/stream/historyMessage.ts';
import type { ToolState } from '../../../src/base/stream/stored.ts';

const STEP: PartBody = { type: 'data-step', data: {} };
const DONE = { type: 'output', data: 'x', metadata: { duration_ms: 1 } } as const;

check(
  'the steps of a turn are cut where its requests were',
  [user('go'), assistant([STEP, text('a'), call('1'), call('2'), STEP, text('b')])],
  [
    { role: 'user', content: [{ type: 'text', text: 'go' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'a' }, asked('1'), asked('2')] },
    { role: 'tool', content: [answered('1'), answered('2')] },
    { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
  ],
);

check(
  'two prompts with a failed answer between them go as one message',
  [user('one'), assistant([STEP, { type: 'data-error', data: { errorText: 'x' } }]), user('two')],
  [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
    },
  ],
);

check(
  'hidden messages are left out',
  [{ ...user('old'), metadata: { hidden_at: 1 } }, user('new')],
  [{ role: 'user', content: [{ type: 'text', text: 'new' }] }],
);

check(
  'ids that repeat or are missing become unique, each with one result',
  [assistant([call('x'), call('x'), STEP, call('')])],
  [
    { role: 'assistant', content: [asked('x'), asked('x-2')] },
    { role: 'tool', content: [answered('x'), answered('x-2')] },
    { role: 'assistant', content: [asked('call')] },
    { role: 'tool', content: [answered('call')] },
  ],
);

test('names that endpoints refuse are cleaned, but not those of tools that are offered', () => {
  const names = ['read file!', 'a.b', 'x'.repeat(200), '', '\u0000é', 'kept.one'];
  const parts = names.map((toolName, index) => ({ ...call(String(index)), toolName }));
  const messages = toModelMessages([assistant(parts)], { tools: new Set(['kept.one']) });
  const sent = messages.map(({ content }) =>
    Array.isArray(content) ? content.map((part) => 'toolName' in part && part.toolName) : [],
  );
  const clean = ['read_file_', 'a_b', 'x'.repeat(64), 'unknown', '__', 'kept.one'];
  assert.deepEqual(sent, [clean, clean]);
});

checkRepair('input-streaming', {}, 'aborted by host restart');
checkRepair('input-available', {}, 'aborted by host restart');
checkRepair('approval-responded', {}, 'aborted by host restart');
checkRepair('input-available', { aborted_at: 1 }, /The user cancelled the turn/);
checkRepair('approval-requested', {}, /did not answer the permission request/);
checkRepair('output-denied', {}, /declined/);

function checkRepair(
  state: ToolState,
  metadata: HistoryMessage['metadata'],
  expected: string | RegExp,
) {
  const aborted = metadata.aborted_at === undefined ? '' : ' in a cancelled turn';
  test(`a call left in ${state}${aborted} gets an error for its result`, () => {
    const part: PartBody = { ...call('1'), state };
    const { output: _, ...open } = part;
    const [, results] = toModelMessages([{ role: 'assistant', metadata, parts: [open] }]);
    const [result] = Array.isArray(results?.content) ? results.content : [];
    assert.ok(result && typeof result === 'object' && 'output' in result);
    assert.ok(result.output.type === 'error-text');
    const envelope = JSON.parse(result.output.value);
    assert.deepEqual(envelope, {
      type: 'error',
      error_text: envelope.error_text,
      metadata: { duration_ms: 0 },
    });
    if (typeof expected === 'string') assert.equal(envelope.error_text, expected);
    else assert.match(envelope.error_text, expected);
  });
}

test('a failure that is marked reaches the model as {"error": text}, with the file of what was cut', () => {
  const resultOf = (metadata: Partial<EnvelopeMetadata>) => {
    const output: Envelope = {
      type: 'error',
      error_text: 'tool timed out',
      metadata: { duration_ms: 1, ...metadata },
    };
    const part: PartBody = { ...call('1'), state: 'output-error', output };
    const [, results] = toModelMessages([assistant([part])]);
    const [result] = Array.isArray(results?.content) ? results.content : [];
    return result && typeof result === 'object' && 'output' in result ? result.output : undefined;
  };
  assert.deepEqual(resultOf({ failure_content: 'error' }), {
    type: 'error-text',
    value: '{"error":"tool timed out"}',
  });
  assert.deepEqual(
    resultOf({ failure_content: 'error', truncated: true, output_path: '/side/car' }),
    {
      type: 'error-text',
      value: '{"error":"tool timed out","truncated":true,"output_path":"/side/car"}',
    },
  );
  assert.deepEqual(resultOf({}), {
    type: 'error-text',
    value: '{"type":"error","error_text":"tool timed out","metadata":{"duration_ms":1}}',
  });
});

test('arguments that are not an object are sent as an empty object', () => {
  for (const input of [undefined, 'text', [1], null]) {
    const part: PartBody = { ...call('1'), state: 'output-error', errorText: 'bad', input };
    const [message] = toModelMessages([assistant([part])]);
    assert.deepEqual(message?.content, [{ ...asked('1'), input: {} }]);
  }
});

test('text that broke off and what followed it are one message', () => {
  const step: PartBody = { type: 'data-step', data: {} };
  const messages = toModelMessages([assistant([step, text('Half and'), step, text(' rest.')])]);
  assert.deepEqual(messages, [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Half and' },
        { type: 'text', text: ' rest.' },
      ],
    },
  ]);
});

test('attachments keep their position between the texts', () => {
  const link = { kind: 'link', uri: 'file:///w/a.ts', name: 'a.ts' } as const;
  const parts: PartBody[] = [text('Look at'), { type: 'file', data: link }, text('please')];
  const [message] = toModelMessages([{ role: 'user', metadata: {}, parts }]);
  assert.deepEqual(message?.content, [
    { type: 'text', text: 'Look at' },
    ...toAttachmentParts(link, true),
    { type: 'text', text: 'please' },
  ]);
});

function check(name: string, messages: readonly HistoryMessage[], expected: unknown) {
  test(name, () => assert.deepEqual(toModelMessages(messages), expected));
}

function user(words: string): HistoryMessage {
  return { role: 'user', metadata: {}, parts: [text(words)] };
}

function assistant(parts: readonly PartBody[]): HistoryMessage {
  return { role: 'assistant', metadata: {}, parts };
}

function text(words: string): PartBody {
  return { type: 'text', text: words };
}

function call(toolCallId: string) {
  return {
    type: 'tool-read',
    toolCallId,
    toolName: 'read',
    state: 'output-available',
    input: { path: 'a' },
    output: DONE,
  } as const;
}

function asked(toolCallId: string) {
  return { type: 'tool-call', toolCallId, toolName: 'read', input: { path: 'a' } };
}

function answered(toolCallId: string) {
  const output = { type: 'text', value: JSON.stringify(DONE) };
  return { type: 'tool-result', toolCallId, toolName: 'read', output };
}
