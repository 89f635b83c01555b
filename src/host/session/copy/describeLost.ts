import { lstatSync } from 'node:fs';
import { toCodeSpan } from '../../../base/codeSpan.ts';
import { MB } from '../../../base/units.ts';
import { CONTENT_LIMITS, type ContentRoom } from '../../../recorder/entries.ts';
import type { OtherChange } from './otherChanges.ts';

/**
 * Says before the user allows these changes what *Revert* can't restore afterwards, in one sentence. `room` is what
 * can still be kept; `isAsked`: rules don't allow them. Undefined: all of it can be restored, and what older commands of the session changed too.
 */
export function describeLost(
  others: readonly OtherChange[],
  room: ContentRoom,
  isAsked = true,
): string | undefined {
  const start = isAsked ? 'If you allow' : 'Since rules allow';
  let kept = 0;
  const lost: string[] = [];
  for (const { entry, name } of others) {
    const size = entry.after.type === 'mode' ? 0 : getSize(entry.path);
    if (kept + size > room.call) lost.push(toCodeSpan(name));
    else kept += size;
  }
  if (lost.length > 0) {
    const more = lost.length > NAMED ? ` and ${lost.length - NAMED} more` : '';
    const files = `${lost.slice(0, NAMED).join(', ')}${more}`;
    return `${start} ${files}, Revert can't restore what was there: at most ${toMB(CONTENT_LIMITS.call)} of old contents are kept for each command.`;
  }
  if (kept <= room.session) return undefined;
  const older =
    kept > room.unreviewed
      ? 'some changes of this chat that await your review can no longer be undone'
      : 'older commands of this chat may no longer be reverted';
  return `${start} them, ${older}: at most ${toMB(CONTENT_LIMITS.session)} of old contents are kept for each chat.`;
}

/** The most files that the sentence names. */
const NAMED = 3;

/** Bytes of the content that is there: links and folders have none. */
function getSize(file: string): number {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() ? stats.size : 0;
}

function toMB(bytes: number): string {
  return `${Math.round(bytes / MB)} MB`;
}
