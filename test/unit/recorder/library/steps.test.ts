import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../../src/base/clock.ts';
import { exportLines } from '../../../../src/recorder/library/exportSession.ts';
import { forkSession } from '../../../../src/recorder/library/forkSession.ts';
import { importSession } from '../../../../src/recorder/library/importSession.ts';
import { removeSession } from '../../../../src/recorder/library/removeSession.ts';
import {
  createSearchIndex,
  type SearchIndex,
} from '../../../../src/recorder/library/search/searchIndex.ts';
import { longestStep } from '../../cpuTime.ts';
import { open } from '../openRecorder.ts';

/** The most that one step may take of this thread, in milliseconds of its processor time. */
const STEP_MS = 50;
const TURNS = 300;

test('importing, copying, indexing, searching and deleting a large session keeps the thread for less than 50 ms at a time', async (t) => {
  const { recorder, file, id } = fill(t);
  const { store } = recorder;
  const exported = path.join(path.dirname(file), 'exported.jsonl');
  writeFileSync(exported, [...exportLines(store, id)].join(''));
  const options = { clock: systemClock, patienceMs: 600_000 };
  const index = createSearchIndex(store, path.join(path.dirname(file), 'search.db'), options);
  t.after(() => index.close());
  const steps: Record<string, number> = {};
  steps['import'] = await longestStep(() => importSession(store, { file: exported }));
  const fork = await forkSession(store, id);
  assert.ok(fork.ok);
  steps['fork'] = await longestStep(() => forkSession(store, id));
  steps['index'] = await longestStep(() => search(index, 'w17'));
  steps['search'] = await longestStep(() => search(index, 'w17 w99'));
  steps['delete'] = await longestStep(() => removeSession(store, fork.data));
  const long = Object.entries(steps).filter(([, ms]) => ms >= STEP_MS);
  assert.deepEqual(long, [], JSON.stringify(steps));
});

async function search(index: SearchIndex, query: string): Promise<void> {
  const found = await index.search({ query, limit: 50 });
  assert.equal(found.ok && found.data.hits.length, 50);
}

/** A session of about 7 MB. */
function fill(t: TestContext) {
  const opened = open(t);
  const { recorder } = opened;
  const id = recorder.together(() => {
    const session = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
    for (let turn = 0; turn < TURNS; turn++) {
      recorder.addUserMessage(session.id, [{ type: 'text', text: words(20, turn) }]);
      const record = recorder.openTurn(session.id);
      assert.ok(record.ok);
      const toolCallId = `c${turn}`;
      const output = {
        type: 'output',
        data: words(3_500, turn),
        metadata: { duration_ms: 1 },
      } as const;
      record.data.record({ type: 'tool-input-available', toolCallId, toolName: 'bash', input: {} });
      record.data.record({ type: 'tool-output-available', toolCallId, output });
      record.data.record({ type: 'finish', finishReason: 'stop' });
      record.data.close();
    }
    return session.id;
  });
  return { ...opened, id };
}

function words(count: number, seed: number): string {
  return Array.from({ length: count }, (_, at) => `w${(at * 7919 + seed * 31) % 9973}`).join(' ');
}
