import { RequestError } from '@agentclientprotocol/sdk';
import { toContentBlock } from '../../../acp/contentBlock.ts';
import type {
  ForkQuery,
  RewindQuery,
  RewindResult,
  SessionResult,
  UnrewindResult,
} from '../../../acp/gatehouse/history.ts';
import { forkSession } from '../../../recorder/library/forkSession.ts';
import { rewind, unrewind } from '../../../recorder/library/rewind.ts';
import type { OpenHost } from '../openHost.ts';
import { requireIdle } from './sessionEntries.ts';

/** Copies an idle session to a new one, which is stored and not open. */
export async function fork(host: OpenHost, query: ForkQuery): Promise<SessionResult> {
  const { sessionId, messageId } = query;
  requireIdle(host, sessionId);
  const forked = await forkSession(host.services.recorder.store, sessionId, messageId);
  if (!forked.ok) throw RequestError.invalidParams({ ...query }, forked.error);
  host.services.sessionsChanged();
  return { sessionId: forked.data };
}

/** Hides a prompt of an idle session and everything after it. Files stay as they are. */
export function rewindSession(host: OpenHost, query: RewindQuery): RewindResult {
  const { sessionId, messageId } = query;
  requireIdle(host, sessionId);
  const rewound = rewind(host.services.recorder.store, sessionId, messageId);
  if (!rewound.ok) throw RequestError.invalidParams({ ...query }, rewound.error);
  const { text, attachments, hidden, files } = rewound.data;
  return {
    ...{ text, hidden, files, notice: toNotice(hidden, files.length) },
    attachments: attachments.flatMap((each) => {
      const block = toContentBlock(each);
      return block === undefined ? [] : [{ ...block }];
    }),
  };
}

/** Shows again what the last rewind hid, while nothing was sent since. */
export function unrewindSession(host: OpenHost, sessionId: string): UnrewindResult {
  requireIdle(host, sessionId);
  const restored = unrewind(host.services.recorder.store, sessionId);
  if (!restored.ok) throw RequestError.invalidParams({ sessionId }, restored.error);
  return { restored: restored.data };
}

function toNotice(hidden: number, files: number): string {
  const messages = hidden === 1 ? '1 message was hidden' : `${hidden} messages were hidden`;
  if (files === 0) return `${messages}. Files were not changed.`;
  const changed = files === 1 ? 'the file' : `the ${files} files`;
  return `${messages}. Files were not changed: ${changed} that the agent edited since then ${files === 1 ? 'stays' : 'stay'} as edited.`;
}
