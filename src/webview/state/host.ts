import type { Chip } from '../messages/attached.ts';
import type { SessionKey, ToExtension, UserAction } from '../messages/messages.ts';

/** State that survives when VS Code disposes of the page, such as the unsent draft. */
export interface Kept {
  readonly draft: string;
  /** What is attached to the draft. */
  readonly attached: readonly Chip[];
  /** How the reader left the sessions, the one left last at the end. */
  readonly sessions: Readonly<Record<SessionKey, KeptSession>>;
  /** The host's id of the session that is shown. Of chats in editors only. */
  readonly sessionId?: string;
}

/** How the reader left a session. */
export interface KeptSession {
  /** The position in the transcript. Absent at its end. */
  readonly position?: ReadingPosition;
  /** The cards that the reader opened or closed, by the item's id. */
  readonly opened: Readonly<Record<string, boolean>>;
  /** Answers that are not sent yet, by the ask's id and the field's key. */
  readonly answers: Readonly<Record<string, HalfAnswer>>;
}

/** What is in the fields of a question. */
export type HalfAnswer = Readonly<Record<string, string | readonly string[]>>;

/** A position in the transcript: the row at the top, and how many of its pixels are above the view. */
export interface ReadingPosition {
  readonly row: string;
  readonly above: number;
}

export const NOTHING_KEPT: Kept = { draft: '', attached: [], sessions: {} };
const NOTHING_OF_SESSION: KeptSession = { opened: {}, answers: {} };
/** Sessions and cards, so that what is kept has an end. */
const MOST_SESSIONS = 20;
const MOST_CARDS = 200;

/** The webview's API of the editor. Tests replace it. */
export interface Host {
  post(message: ToExtension): void;
  kept(): Kept;
  keep(kept: Kept): void;
}

/** The same API for the views of one session, which adds the session to each message. */
export interface SessionHost {
  readonly session: SessionKey;
  post(action: UserAction): void;
  draft(): string;
  keepDraft(draft: string): void;
  attached(): readonly Chip[];
  keepAttached(attached: readonly Chip[]): void;
  /** How the reader left this session. */
  left(): KeptSession;
  keepPosition(position: ReadingPosition | undefined): void;
  keepOpened(item: string, open: boolean): void;
  /** Undefined when the request is answered. */
  keepAnswer(ask: string, answer: HalfAnswer | undefined): void;
}

/** @param pending the ids of the asks that wait, if known: of others, no answers are kept */
export function toSessionHost(
  host: Host,
  session: SessionKey,
  pending: () => readonly string[] | undefined = () => undefined,
): SessionHost {
  const left = () => host.kept().sessions[session] ?? NOTHING_OF_SESSION;
  const update = (change: (own: KeptSession) => KeptSession) => {
    const kept = host.kept();
    const { [session]: own = NOTHING_OF_SESSION, ...others } = kept.sessions;
    host.keep({
      ...kept,
      sessions: takeLast({ ...others, [session]: change(own) }, MOST_SESSIONS),
    });
  };
  return {
    session,
    post: (action) => host.post({ ...action, session }),
    draft: () => host.kept().draft,
    keepDraft: (draft) => host.keep({ ...host.kept(), draft }),
    attached: () => host.kept().attached,
    keepAttached: (attached) => host.keep({ ...host.kept(), attached }),
    left,
    keepPosition: (position) =>
      update(({ position: _, ...own }) => ({
        ...own,
        ...(position !== undefined && { position }),
      })),
    keepOpened: (item, open) =>
      update(({ opened: { [item]: _, ...opened }, ...own }) => ({
        ...own,
        opened: takeLast({ ...opened, [item]: open }, MOST_CARDS),
      })),
    keepAnswer: (ask, answer) =>
      update(({ answers: { [ask]: _, ...all }, ...own }) => {
        const ids = pending();
        const others = Object.entries(all).filter(([id]) => ids?.includes(id) ?? true);
        const answers = Object.fromEntries(others);
        return { ...own, answers: answer === undefined ? answers : { ...answers, [ask]: answer } };
      }),
  };
}

function takeLast<Value>(
  values: Readonly<Record<string, Value>>,
  most: number,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(values).slice(-most));
}
