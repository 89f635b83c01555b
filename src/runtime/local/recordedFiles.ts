import { lstatSync } from 'node:fs';
import type { Outcome } from '../../base/outcome.ts';
import { applySpans } from '../../diff/span.ts';
import type { ChangeLog } from '../overlay.ts';
import { type ProtectedFiles, toText } from '../protectedFiles.ts';
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
    async remove(file) {
      const { path } = file;
      const mode = lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0o644;
      const removed = {
        before: { type: 'mode', mode: mode & 0o7777 },
        after: { type: 'none' },
      } as const;
      const drop = log.noteEntry(toolCallId, { path, ...removed });
      const done = await noted({ path, before: getText(file) }, () => files.remove(file));
      if (!done.ok) drop();
      return done;
    },
  };
}

/** Notes the protected files that a command changed, as far as they are text, so that they can be restored. */
export function createRecordedProtectedFiles(
  files: ProtectedFiles,
  log: ChangeLog,
  toolCallId: string,
): ProtectedFiles {
  return {
    start() {
      const compare = files.start();
      return () => {
        const changes = compare();
        for (const { path, before, after } of changes) {
          const texts = { before: toText(before), after: toText(after) };
          if (texts.before === null || texts.after === null) continue;
          log.note(toolCallId, {
            path,
            ...(texts.before !== undefined && { before: texts.before }),
            ...(texts.after !== undefined && { after: texts.after }),
          });
        }
        return changes;
      };
    },
  };
}

function getText({ utf8 }: TextFile): string {
  return utf8.toString('utf8');
}
