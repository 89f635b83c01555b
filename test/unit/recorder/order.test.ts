import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { StoredMessage } from '../../../src/base/stream/stored.ts';
import { openRecorder } from '../../../src/recorder/recorder.ts';
import { createManualClock } from '../../tour/manualClock.ts';
import { open } from './openRecorder.ts';

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

function toTexts(messages: readonly StoredMessage[]): readonly string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' ? part.text : [])),
  );
}
