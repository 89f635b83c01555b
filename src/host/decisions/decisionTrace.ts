import path from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { DecisionEvent } from '../../gate/decisionEvent.ts';
import { createTraceLines } from './traceLines.ts';

/** Records the gate's decisions. */
export interface DecisionTrace {
  write(event: DecisionEvent): void;
  dispose(): void;
}

/**
 * Writes each decision as one line of JSON, with its time in milliseconds since the epoch, to a file of
 * this process in the folder of the protocol trace (`GATEHOUSE_TRACE`). Without a folder, nothing is
 * written. If writing fails, calls still succeed, and there is one warning.
 */
export function createDecisionTrace(
  folder: string | undefined,
  warn: (message: string) => void,
  clock: Clock = systemClock,
): DecisionTrace {
  const name = path.basename(decisionFile('', process.pid));
  const lines = createTraceLines(folder, name, warn, 'Decisions are not traced');
  return {
    write(event) {
      if (!lines.enabled) return;
      const { rules: _rules, ...rest } = event;
      lines.write({ at: clock.now(), ...rest });
    },
    dispose: lines.dispose,
  };
}

/** The file of the host with that process id. */
export function decisionFile(folder: string, pid: number): string {
  return path.join(folder, `decisions-${pid}.jsonl`);
}
