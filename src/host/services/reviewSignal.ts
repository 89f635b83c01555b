import { type FSWatcher, mkdirSync, watch } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';

/**
 * Tells the hosts of all windows that something in the database may have changed, such as what awaits a
 * review. It carries nothing: each host compares the database with what it showed.
 */
export interface ReviewSignal extends Disposable {
  send(): void;
  /** Fires soon after any host has sent, this one included. */
  onDidSend(listener: () => void): Disposable;
}

/** Milliseconds in which several signals count as one. */
const SETTLE = 30;

/**
 * A small file that is written and closed, because not every system reports writes to a database that
 * stays open. Where the folder can't be watched, a window learns of others' decisions at its next own one.
 */
export function openReviewSignal(folder: string, clock: Clock = systemClock): ReviewSignal {
  const sent = new Emitter<void>();
  const file = path.join(folder, 'changed');
  let timer: Disposable | undefined;
  const watcher = watchFolder(folder, () => {
    timer ??= clock.after(SETTLE, () => {
      timer = undefined;
      sent.fire();
    });
  });
  return {
    onDidSend: sent.event,
    send: () => void writeFile(file, String(process.pid)).catch(() => undefined),
    dispose() {
      watcher?.close();
      timer?.dispose();
      sent.dispose();
    },
  };
}

function watchFolder(folder: string, onChange: () => void): FSWatcher | undefined {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const watcher = watch(folder, { persistent: false }, onChange);
    return watcher.on('error', () => watcher.close());
  } catch {
    return undefined;
  }
}
