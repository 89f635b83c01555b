import { writeSync } from 'node:fs';
import { openRecorder } from '../../../src/recorder/recorder.ts';

/**
 * `node writer.ts FILE JOURNAL`: writes turns until it is killed, and says on stdout, synchronously,
 * what the recorder has acknowledged: `call ID STATE` and `text ID LENGTH`.
 */
const [file = '', journal] = process.argv.slice(2);
const recorder = openRecorder(file, { rollbackJournal: journal === 'delete' });
const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/work' });

for (let round = 0; round < 100_000; round++) {
  recorder.addUserMessage(id, [{ type: 'text', text: `round ${round}` }]);
  const turn = recorder.openTurn(id);
  if (!turn.ok) throw new Error(turn.error);
  const textId = `prt_${String(process.pid).padStart(12, '0')}${String(round).padStart(14, '0')}`;
  turn.data.record({ type: 'text-start', id: textId });
  for (let count = 0; count < 150; count++) {
    turn.data.record({ type: 'text-delta', id: textId, delta: 'twenty characters ab' });
  }
  turn.data.record({ type: 'text-end', id: textId });
  writeSync(1, `text ${textId} 3000\n`);

  const call = { toolCallId: `call-${process.pid}-${round}`, toolName: 'bash' };
  turn.data.record({ type: 'tool-input-available', ...call, input: { command: 'ls' } });
  writeSync(1, `call ${call.toolCallId} input-available\n`);
  const output = { type: 'output', data: 'x'.repeat(500), metadata: { duration_ms: 1 } } as const;
  turn.data.record({ type: 'tool-output-available', toolCallId: call.toolCallId, output });
  writeSync(1, `call ${call.toolCallId} output-available\n`);
  turn.data.close();
}
