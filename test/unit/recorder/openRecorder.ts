import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { StoredPart } from '../../../src/base/stream/stored.ts';
import { openDatabase } from '../../../src/recorder/file/database.ts';
import { openRecorder, type Recorder } from '../../../src/recorder/recorder.ts';
import { createManualClock, type ManualClock } from '../../tour/manualClock.ts';

export const OUTPUT = { type: 'output', data: { a: 1 }, metadata: { duration_ms: 1 } } as const;
export const CALL = { toolCallId: 'c1', toolName: 'bash' } as const;

/** A recorder on a real temporary file, with a clock that the test controls. */
export function open(context: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-recorder-'));
  const file = path.join(folder, 'state', 'gatehouse.db');
  const clock = createManualClock();
  const opened: Recorder[] = [];
  const next = (time: ManualClock) => {
    const recorder = openRecorder(file, { clock: time, busyTimeoutMs: 50 });
    opened.push(recorder);
    return recorder;
  };
  context.after(() => {
    for (const recorder of opened) recorder.close();
    rmSync(folder, { recursive: true });
  });
  /** As after a crash: the owner of the file has stopped its heartbeat, and a minute has passed. */
  const reopen = () => next(createManualClock(clock.now() + 60_000));
  return { recorder: next(clock), clock, file, reopen, second: () => next(clock) };
}

/** A recorder with a turn open, and another window that sees only what is committed. */
export function openTurn(context: TestContext) {
  const opened = open(context);
  const { recorder, second } = opened;
  const sessionId = recorder.createSession({ agent: 'gatehouse', cwd: '/a' }).id;
  const turn = recorder.openTurn(sessionId, { agent: 'gatehouse' });
  assert.ok(turn.ok);
  const onlooker = second();
  return {
    ...opened,
    sessionId,
    turn: turn.data,
    rows: () => readRows(onlooker, sessionId),
    peek: () => onlooker.messages(sessionId)[0]?.parts.map(toText).join(''),
    lock: () => {
      const blocker = openDatabase(opened.file, () => 0);
      blocker.get('BEGIN IMMEDIATE');
      return () => {
        blocker.get('COMMIT');
        blocker.close();
      };
    },
  };
}

function toText(part: StoredPart): string {
  return part.type === 'text' ? part.text : '';
}

interface PartRow {
  readonly type: string;
  readonly data_json: string;
  readonly tool_state: string | null;
  readonly updated_at: number;
}

function readRows(recorder: Recorder, sessionId: string): PartRow[] {
  const lines = recorder.exportJsonl(sessionId).trimEnd().split('\n');
  return lines.flatMap((line) => {
    const { type, data } = JSON.parse(line);
    return type === 'part' ? [data] : [];
  });
}
