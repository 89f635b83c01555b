import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Turn } from '../../../src/agent/turn.ts';
import type { Chunk } from '../../../src/base/stream/chunk.ts';
import { createFold } from '../../../src/base/stream/fold.ts';
import type { StoredMessage } from '../../../src/base/stream/stored.ts';
import { findUnfinished } from '../../../src/base/stream/unfinished.ts';
import { createView, output, playTurn } from '../../tour/playTurn.ts';
import type { ModelServer, Reply } from '../../tour/server.ts';

const call = (id: string) => ({ tool: 'read', id, input: { path: id } });
const SCRIPT: readonly Reply[] = [
  { text: 'First. ', calls: [call('a1'), call('a2')] },
  { reasoning: 'Hm.', calls: [call('b1'), call('b2'), call('b3'), call('b4')] },
  { text: 'Done.' },
];

/**
 * Runs the calls one after the other, so that a turn has many states, and asks about most of them. A
 * rule allows those whose id ends with 1.
 */
function asking(ran: string[]): Turn['call'] {
  let last: Promise<unknown> = Promise.resolve();
  return ({ toolCallId }, emit) => {
    if (!toolCallId.endsWith('1')) {
      emit({ type: 'tool-approval-request', toolCallId, approvalId: `p-${toolCallId}` });
    }
    const result = last.then(() => {
      emit({ type: 'tool-progress', toolCallId, display: {} });
      ran.push(toolCallId);
      return output(`done ${toolCallId}`);
    });
    last = result;
    return result;
  };
}

const bodies = ({ requests }: ModelServer) => requests.map(({ body }) => JSON.stringify(body));

/** The turn as it is on record after some of its chunks. */
function toRecord(chunks: readonly Chunk[]): StoredMessage {
  const fold = createFold();
  for (const chunk of chunks) fold.apply(chunk);
  const parts = fold.parts.map((part, at) => ({ ...part, id: `prt_${at}` }));
  const metadata = chunks.some(({ type }) => type === 'finish') ? { finish_reason: 'stop' } : {};
  return {
    id: 'msg',
    sessionId: 'ses',
    role: 'assistant',
    parts,
    createdAt: 0,
    ...{ metadata },
  } as StoredMessage;
}

test('a turn that broke off while a call waited goes on with the same requests, wherever that was', async (context) => {
  const whole = await createView(context, SCRIPT, { call: asking([]) });
  const chunks: Chunk[] = [];
  await playTurn(whole.view, (chunk) => chunks.push(chunk));
  const expected = bodies(whole.server);
  assert.equal(expected.length, 3);
  let resumed = 0;
  for (let end = 0; end <= chunks.length; end += 1) {
    const message = toRecord(chunks.slice(0, end));
    const unfinished = findUnfinished([message]);
    if (unfinished === undefined || unfinished.calls.length === 0) continue;
    resumed += 1;
    const before = chunks.slice(0, end);
    const begun = before.flatMap((chunk) =>
      chunk.type === 'tool-progress' ? [chunk.toolCallId] : [],
    );
    const ended = before.flatMap((chunk) =>
      chunk.type === 'tool-output-available' ? [chunk.toolCallId] : [],
    );
    const ran: string[] = [];
    const asked = before.filter(({ type }) => type === 'start-step').length;
    const { view, server } = await createView(context, SCRIPT.slice(asked), {
      call: asking(ran),
      begun: {
        parts: message.parts.map(({ id: _, ...part }) => part),
        calls: unfinished.calls.map((part) => ({
          ...{ toolCallId: part.toolCallId, tool: part.toolName, input: part.input },
        })),
      },
    });
    await playTurn(view);
    assert.deepEqual(
      ran.filter((id) => begun.includes(id)),
      [],
      'nothing runs twice',
    );
    // A call that ran when the process ended has another result: it is not run again.
    if (begun.length === ended.length) assert.deepEqual(bodies(server), expected.slice(asked));
    else assert.match(bodies(server)[0] ?? '', /aborted by host restart/);
  }
  assert.ok(resumed > 10, `${resumed} kill points`);
});

test('text that broke off goes on after a message, and becomes one answer with what follows', async (context) => {
  const { view, server } = await createView(context, [{ text: ' rest.' }], {
    begun: {
      parts: [
        { type: 'data-step', data: {} },
        { type: 'text', text: 'Half and' },
      ],
      calls: [],
    },
  });
  await playTurn(view);
  const { messages } = Object(server.requests[0]?.body);
  assert.deepEqual(messages.slice(-2), [
    { role: 'assistant', content: 'Half and' },
    { role: 'user', content: 'Your answer broke off here. Continue exactly where it stopped.' },
  ]);
});
