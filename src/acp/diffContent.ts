import type { ToolCallContent } from '@agentclientprotocol/sdk';
import { MB } from '../base/units.ts';
import { changedWindow } from '../diff/context.ts';
import { toMeta } from './gatehouse/meta.ts';
import type { DiffMeta } from './gatehouse/session.ts';

/** Up to this many characters of both texts together a proposal is sent whole. */
const WHOLE_CHARACTERS = 8 * MB;
/** Lines of context around the changed window of a larger one. */
const CONTEXT_LINES = 20;

/** A proposed file: absolute path, and both texts. `oldText` is absent for a new file. */
export interface Proposal {
  readonly path: string;
  readonly oldText?: string;
  readonly newText: string;
}

/**
 * A proposal as ACP diff content. Messages are limited to 32 MiB, so of a huge file only the
 * window that changes is sent, and its first line says where it lies.
 */
export function toDiffContent(proposal: Proposal): ToolCallContent {
  const { path, oldText, newText } = proposal;
  const size = (oldText?.length ?? 0) + newText.length;
  if (size <= WHOLE_CHARACTERS || oldText === undefined) {
    return { type: 'diff', path, oldText: oldText ?? null, newText };
  }
  const { line, ...texts } = changedWindow(oldText, newText, CONTEXT_LINES);
  return { type: 'diff', path, ...texts, ...toMeta<DiffMeta>({ line, partial: true }) };
}
