import type { Outcome } from '../../base/outcome.ts';
import { applySpans } from '../../diff/span.ts';
import type { ChangeLog } from '../overlay.ts';
import type { FileSystem, TextFile } from '../runtime.ts';

/** Notes every change before it is made, so that it can be reverted. */
export function createRecordedFiles(
  files: FileSystem,
  log: ChangeLog,
  toolCallId: string,
): FileSystem {
  async function noted<Data>(
    change: Parameters<ChangeLog['note']>[1],
    work: () => Promise<Outcome<Data>>,
  ): Promise<Outcome<Data>> {
    const drop = log.note(toolCallId, change);
    const done = await work();
    if (!done.ok) drop();
    return done;
  }
  return {
    ...files,
    splice: (file, spans) => {
      const texts = { before: getText(file), after: applySpans(file.utf8, spans) };
      return noted({ path: file.path, ...texts }, () => files.splice(file, spans));
    },
    create: (path, text) =>
      noted({ path: files.absolute(path), after: text }, () => files.create(path, text)),
    remove: (file) => noted({ path: file.path, before: getText(file) }, () => files.remove(file)),
  };
}

function getText({ utf8 }: TextFile): string {
  return utf8.toString('utf8');
}
