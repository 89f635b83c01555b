import type { ToolCallContent } from '@agentclientprotocol/sdk';
import { MB } from '../base/units.ts';
import { changedWindow } from '../diff/context.ts';
import type { FileChange } from '../diff/fileChange.ts';
import { toMeta } from './gatehouse/parse.ts';
import type { DiffMeta } from './gatehouse/session.ts';

/** Proposals up to this many characters in total are sent whole. */
const WHOLE_CHARACTERS = 8 * MB;
/** Lines of context around the changed window of a larger proposal. */
const CONTEXT_LINES = 20;

/**
 * Converts a proposal to ACP content, one `diff` per file. Messages are limited to 32 MiB, so for
 * huge files only the changed window is sent, starting with a line that gives its position.
 */
export function toDiffContent(changes: readonly FileChange[]): ToolCallContent[] {
  const size = changes.reduce(
    (sum, { oldText = '', newText = '' }) => sum + oldText.length + newText.length,
    0,
  );
  return changes.map((change) => toOne(change, size <= WHOLE_CHARACTERS));
}

function toOne(
  { path, beforeHash, oldText, newText, document }: FileChange,
  whole: boolean,
): ToolCallContent {
  if (whole || oldText === undefined || newText === undefined) {
    const texts = { oldText: oldText ?? null, newText: newText ?? '' };
    const meta: DiffMeta = {
      beforeHash,
      ...(document && { document }),
      ...(newText === undefined && { deleted: true }),
    };
    return { type: 'diff', path, ...texts, ...toMeta(meta) };
  }
  const { line, ...texts } = changedWindow(oldText, newText, CONTEXT_LINES);
  const meta: DiffMeta = { beforeHash, line, partial: true };
  return { type: 'diff', path, ...texts, ...toMeta(meta) };
}
