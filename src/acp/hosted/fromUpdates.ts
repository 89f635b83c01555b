import { isDeepStrictEqual } from 'node:util';
import type { ContentChunk, SessionUpdate } from '@agentclientprotocol/sdk';
import { createId } from '../../base/ids.ts';
import type { Chunk } from '../../base/stream/chunk.ts';
import type { UpdateView } from '../dataUpdates.ts';
import { toUpdates } from '../toUpdates.ts';
import { withoutOurs } from './foreignMeta.ts';
import { toDataChunk } from './toDataChunk.ts';
import { toHostedChunk } from './toHostedChunk.ts';

/** Converts a hosted agent's session updates into the chunks of one turn. */
export interface UpdateReader {
  /**
   * Lossless: `toUpdates` of the chunks gives the update again, with an id added to a message that
   * had none.
   */
  read(update: SessionUpdate): readonly Chunk[];
  /** Closes the text that is still open when the turn ends. */
  end(): readonly Chunk[];
}

interface OpenText {
  readonly kind: 'text' | 'reasoning';
  /** Our own id: the agent's id might already be that of a stored row. */
  readonly id: string;
  readonly messageId: string | undefined;
}

export function createUpdateReader(): UpdateReader {
  let open: OpenText | undefined;

  function end(): Chunk[] {
    const ended: Chunk[] = open === undefined ? [] : [{ type: `${open.kind}-end`, id: open.id }];
    open = undefined;
    return ended;
  }

  function readText({ kind, text, messageId }: TextNews): Chunk[] {
    const chunks: Chunk[] = [];
    if (open === undefined || open.kind !== kind || open.messageId !== messageId) {
      chunks.push(...end());
      open = { kind, id: createId('prt'), messageId };
      chunks.push({ type: `${kind}-start`, id: open.id });
    }
    const own = messageId === undefined ? {} : { messageId };
    chunks.push({ type: `${kind}-delta`, id: open.id, delta: text, ...own });
    return chunks;
  }

  return {
    end,
    read(given) {
      const update = withoutOurs(given);
      const news = toTextNews(update);
      if (news !== undefined) return readText(news);
      const chunk = toChunk(update);
      // A part that isn't stored has no position, so it does not have to split the text.
      return 'transient' in chunk && chunk.transient ? [chunk] : [...end(), chunk];
    },
  };
}

interface TextNews {
  readonly kind: 'text' | 'reasoning';
  readonly text: string;
  readonly messageId: string | undefined;
}

/**
 * Undefined for anything but plain text; text with annotations, for example, is kept as a whole
 * update.
 */
function toTextNews(update: SessionUpdate): TextNews | undefined {
  if (update.sessionUpdate === 'agent_message_chunk') return toPlainText('text', update);
  if (update.sessionUpdate === 'agent_thought_chunk') return toPlainText('reasoning', update);
  return undefined;
}

function toPlainText(
  kind: TextNews['kind'],
  { content, messageId, _meta }: ContentChunk,
): TextNews | undefined {
  if (content.type !== 'text' || content.text === '' || messageId === null || _meta) return;
  if (Object.keys(content).length > 2) return;
  return { kind, text: content.text, messageId };
}

/** The equivalent chunk, together with the update if that says more; otherwise the update alone. */
function toChunk(update: SessionUpdate): Chunk {
  const chunk = toHostedChunk(update) ?? toDataChunk(update);
  if (chunk !== undefined && isDeepStrictEqual(toUpdates(chunk, ALL), [update])) return chunk;
  switch (chunk?.type) {
    case 'data-plan':
    case 'data-mode':
    case 'data-commands':
    case 'data-config':
    case 'data-context':
      return { ...chunk, update: { ...update } };
    default:
      return { type: 'data-acp-update', data: { ...update }, ...toKeeping(update) };
  }
}

const ALL: UpdateView = { terminals: true, notices: true, compaction: true, contextTokens: 0 };

/** Notices are transient; a session's latest title and time replace earlier ones. */
function toKeeping({ sessionUpdate }: SessionUpdate) {
  if (sessionUpdate === 'notice') return { transient: true } as const;
  return sessionUpdate === 'session_info_update' ? { id: sessionUpdate } : {};
}
