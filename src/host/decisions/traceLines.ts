import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import path from 'node:path';
import { getMessage } from '../../base/faults.ts';

/** Lines of JSON in a file of this process. */
export interface TraceLines {
  /** False when nothing is written, so that nothing has to be computed either. */
  readonly enabled: boolean;
  write(line: object): void;
  dispose(): void;
}

/**
 * Writes to `name` in the folder of the protocol trace (`GATEHOUSE_TRACE`). Without a folder, nothing is
 * written. If writing fails, nothing else does, and there is one warning that begins with `what`.
 */
export function createTraceLines(
  folder: string | undefined,
  name: string,
  warn: (message: string) => void,
  what: string,
): TraceLines {
  let file: WriteStream | undefined;
  let failed = !folder;
  const fail = (fault: unknown) => {
    if (!failed) warn(`${what}: ${getMessage(fault)}`);
    failed = true;
  };
  const open = (into: string) => {
    mkdirSync(into, { recursive: true });
    const options = { flags: 'a', mode: 0o600 };
    return createWriteStream(path.join(into, name), options).on('error', fail);
  };
  return {
    get enabled() {
      return !failed;
    },
    write(line) {
      if (failed || folder === undefined) return;
      try {
        file ??= open(folder);
        file.write(`${JSON.stringify(line)}\n`);
      } catch (fault) {
        fail(fault);
      }
    },
    dispose: () => void file?.end(),
  };
}
