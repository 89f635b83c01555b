import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Chunk } from '../../../src/base/stream/chunk.ts';
import type { StoredMessage } from '../../../src/base/stream/stored.ts';
import { openRecorder } from '../../../src/recorder/recorder.ts';
import { createManualClock } from '../../tour/manualClock.ts';
import { CALL, OUTPUT, open } from './openRecorder.ts';

const HOUR = 3_600_000;
const jump = fc.integer({ min: -HOUR, max: HOUR });

// Each turn has its own clock, as after a restart, and the clock jumps before each of its parts.
test('messages and parts keep the order they were written in, whatever the clock does', (context) => {
  const { file } = open(context);
  let agent = 0;
  fc.assert(
    fc.property(
      fc.array(fc.array(jump, { minLength: 1, maxLength: 4 }), { maxLength: 6 }),
      (turns) => {
        let now = 10 * HOUR;
        const expected: string[] = [];
        const clock = { now: () => now, after: createManualClock().after };
        const first = openRecorder(file, { clock });
        const { id } = first.createSession({ agent: `a${agent++}`, cwd: '/a' });
        first.close();
        for (const [turn, jumps] of turns.entries()) {
          const recorder = openRecorder(file, { clock });
          recorder.addUserMessage(id, [{ type: 'text', text: `user ${turn}` }]);
          expected.push(`user ${turn}`);
          const record = recorder.openTurn(id);
          assert.ok(record.ok);
          for (const [part, by] of jumps.entries()) {
            now += by;
            const text = `${turn}.${part}`;
            record.data.record(
              { type: 'text-start', id: text },
              { type: 'text-delta', id: text, delta: text },
            );
            record.data.record({ type: 'text-end', id: text });
            expected.push(text);
          }
          record.data.record({ type: 'finish', finishReason: 'stop' });
          assert.deepEqual(toTexts(recorder.messages(id)), expected, 'live');
          recorder.close();
        }
        const reopened = openRecorder(file, { clock });
        assert.deepEqual(toTexts(reopened.messages(id)), expected, 'reopened');
        const page = reopened.messagePage(id, { limit: 100 });
        assert.deepEqual(page.ok && toTexts(page.data.messages), expected, 'as a page');
        const lines = reopened.exportJsonl(id).trimEnd().split('\n');
        const exported = lines.flatMap(
          (line) => JSON.parse(JSON.parse(line).data.data_json ?? '{}').text ?? [],
        );
        assert.deepEqual(exported, expected, 'exported');
        reopened.close();
      },
    ),
    { numRuns: 25, seed: 16 },
  );
});

// A statement writes 128 or 16 rows, or one, so the last of a batch come from others.
test('parts that are stored together keep their order and texts, however many they are', (context) => {
  const { recorder, reopen } = open(context);
  const stored = [1, 15, 16, 17, 127, 128, 145, 341].map((count) => {
    const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
    const turn = recorder.openTurn(id);
    assert.ok(turn.ok);
    const texts = Array.from({ length: count }, (_, part) => `${part} ${'é'.repeat(part)}`);
    turn.data.record({ type: 'tool-input-available', ...CALL, input: {} });
    // The call's row is changed among rows that are new.
    const { toolCallId } = CALL;
    const ended = { type: 'tool-output-available', toolCallId, output: OUTPUT } as const;
    turn.data.record(...texts.flatMap(toChunks), ended, ...toChunks('last', count));
    turn.data.close();
    return { id, parts: ['output-available', ...texts, 'last'] };
  });
  for (const from of [recorder, reopen()]) {
    for (const { id, parts } of stored) {
      const [message] = from.messages(id);
      assert.deepEqual(
        message?.parts.map((part) => ('state' in part ? part.state : 'text' in part && part.text)),
        parts,
      );
    }
  }
});

function toChunks(text: string, part: number): readonly Chunk[] {
  const id = `${text}-${part}`;
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: text },
    { type: 'text-end', id },
  ];
}

function toTexts(messages: readonly StoredMessage[]): readonly string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' ? part.text : [])),
  );
}
