import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { toTextContent, withCallMeta } from '../../../acp/toolContent.ts';

/** The card of a review that is asked about no longer, because another window answered it. */
export function toAnsweredElsewhere(id: string): SessionUpdate {
  const fields = withCallMeta({ content: [toTextContent(ELSEWHERE)] }, { ended: 'aborted' });
  return { sessionUpdate: 'tool_call_update', toolCallId: id, status: 'failed', ...fields };
}

const ELSEWHERE =
  'You answered this review in another window of this folder, so it is not asked here any more. An answer given here at the same moment does not count.';
