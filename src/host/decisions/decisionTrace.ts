import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import path from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { getMessage } from '../../base/faults.ts';
import type { DecisionEvent } from '../../gate/decisionEvent.ts';

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
  let file: WriteStream | undefined;
  let failed = !folder;
  const fail = (fault: unknown) => {
    if (!failed) warn(`Decisions are not traced: ${getMessage(fault)}`);
    failed = true;
  };
  const open = (into: string) => {
    mkdirSync(into, { recursive: true });
    const name = decisionFile(into, process.pid);
    return createWriteStream(name, { flags: 'a', mode: 0o600 }).on('error', fail);
  };
  return {
    write(event) {
      if (failed || folder === undefined) return;
      try {
        file ??= open(folder);
        const { rules: _rules, ...rest } = event;
        file.write(`${JSON.stringify({ at: clock.now(), ...rest })}\n`);
      } catch (fault) {
        fail(fault);
      }
    },
    dispose: () => void file?.end(),
  };
}

/** The file of the host with that process id. */
export function decisionFile(folder: string, pid: number): string {
  return path.join(folder, `decisions-${pid}.jsonl`);
}
