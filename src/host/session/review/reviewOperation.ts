import path from 'node:path';
import { toTargetSpan } from '../../../base/codeSpan.ts';
import { FILE_CHANGERS } from '../../../base/tools/toolFacts.ts';
import type { FileChange } from '../../../diff/fileChange.ts';
import type { Operation } from '../../../gate/operation.ts';
import type { Preview } from '../../../gate/preview.ts';
import type { Subject } from '../../../permissions/rules/subject.ts';
import { followBase, toBase } from '../../../runtime/files/overlayFiles.ts';
import type { Overlay, OverlayFile } from '../../../runtime/overlay.ts';
import type { FileSystem } from '../../../runtime/runtime.ts';
import { NO_FILE } from '../../../tools/applyChanges.ts';
import type { StoredOverlay } from './storedOverlay.ts';

/**
 * Writing the changes that the user reviews together. It always asks, whatever rule allows it; the ask
 * and deny rules of the tools that change files hold for each file.
 */
export function toReviewOperation(files: readonly OverlayFile[]): Operation {
  const paths = files.map((file) => file.path);
  return {
    id: 'review',
    kind: 'edit',
    parameters: { type: 'object' },
    confirmation: 'ask',
    askReason:
      'The agent proposed these changes. They are not on disk yet; the left side shows the files as they are now.',
    alsoRuledBy: FILE_CHANGERS,
    subjects() {
      const [first = '', ...others] = paths;
      return [toSubject(first), ...others.map(toSubject)];
    },
    title: () => toTitle(paths),
  };
}

/**
 * The reason of a request in which a proposal replaces what the user changed in the same lines; undefined
 * if none does.
 */
export function describeConflicts(reason = '', files: readonly OverlayFile[]): string | undefined {
  const paths = files.filter(({ conflict }) => conflict).map((file) => toTargetSpan(file.path));
  if (paths.length === 0) return undefined;
  return `${reason} You changed the same lines of ${paths.join(', ')} since the agent proposed them. The right side has the agent's lines in place of yours: edit it to keep both.`;
}

/** Names the files of the review as far as one line can. */
export function toTitle(paths: readonly string[]): string {
  const [first = ''] = paths;
  return paths.length === 1 ? `Review ${path.basename(first)}` : `Review ${paths.length} files`;
}

function toSubject(target: string): Subject {
  return { permission: 'review', capability: 'fs.write', target, match: 'path' };
}

/**
 * The proposed files based on what they are now: what the user changed meanwhile is merged in. Files
 * that can't be read any more are dropped from the overlay and added to `failed`.
 */
export async function toReviewPreview(
  overlay: StoredOverlay,
  fs: FileSystem,
  failed: { readonly path: string; readonly why: string }[],
): Promise<Preview> {
  const changes: FileChange[] = [];
  for (const entry of overlay.list()) {
    const read = await fs.readForChange(entry.path);
    if (!read.ok) {
      failed.push({ path: entry.path, why: read.error });
      overlay.remove(entry.path);
      continue;
    }
    using file = read.data;
    const current = file ? followBase(overlay, entry, toBase(file)) : toMissing(overlay, entry);
    // The user may have made the same change.
    if (current.base?.text !== current.text) changes.push(toChange(current));
  }
  return { changes };
}

/** The user deleted the file meanwhile; the proposal would create it again. */
function toMissing(overlay: Overlay, entry: OverlayFile): OverlayFile {
  const { base, ...rest } = entry;
  if (base === undefined) return entry;
  const next: OverlayFile = { ...rest, conflict: true };
  overlay.put(next);
  return next;
}

function toChange({ path: file, base, text }: OverlayFile): FileChange {
  return {
    path: file,
    beforeHash: base?.hash ?? NO_FILE,
    ...(base && { oldText: base.text }),
    ...(text !== undefined && { newText: text }),
  };
}
