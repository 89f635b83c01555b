import { toVisible } from '../../base/text/visibleText.ts';
import type { Composing } from './outbox.ts';

/** Most characters of a link's message: a person has to read it before sending. */
const MOST = 10_000;

/** What a `vscode://gatehouse.gatehouse/open?prompt=…&session=…` link asks for. */
export interface OpenRequest {
  readonly prompt: string;
  readonly session?: string;
}

/**
 * Parses a link, which anyone may have written: its message is put into the composer and never sent,
 * with hidden characters made visible, and without runs of blank lines, which hide its end.
 */
export function parseOpenUri(path: string, query: string): OpenRequest | undefined {
  if (path !== '/open') return undefined;
  const fields = new URLSearchParams(query);
  const session = fields.get('session');
  return {
    prompt: toVisible(closeUp((fields.get('prompt') ?? '').slice(0, MOST))).text,
    ...(session && { session }),
  };
}

function closeUp(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');
}

/** A view that a link can show. */
export interface LinkedView extends Composing {
  focus(): Thenable<unknown>;
}

/** The views of the window. */
export interface LinkedViews {
  readonly current: LinkedView;
  open(sessionId: string): Promise<LinkedView>;
}

export interface LinkParts {
  readonly views: LinkedViews;
  /** Whether the host has a session. */
  isKnown(sessionId: string): Promise<boolean>;
  /** Tells the user that there is no such session. */
  tell(): void;
}

/** Fills the message of a chat, or says that its session is not there. Sends nothing. */
export async function followLink({ session, prompt }: OpenRequest, parts: LinkParts) {
  const { views } = parts;
  if (session !== undefined && !(await parts.isKnown(session))) return parts.tell();
  const view = session === undefined ? views.current : await views.open(session);
  await view.focus();
  view.addToMessage([], prompt);
}
