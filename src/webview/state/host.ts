import type { SessionKey, ToExtension, UserAction } from '../messages/messages.ts';

/** What the page keeps when it is thrown away: what the extension cannot know. */
export interface Kept {
  readonly draft: string;
}

/** The editor's side of the page; tests put something else in its place. */
export interface Host {
  post(message: ToExtension): void;
  kept(): Kept;
  keep(kept: Kept): void;
}

/** The same for what shows one session: whatever the user does there is meant for that session. */
export interface SessionHost extends Omit<Host, 'post'> {
  post(action: UserAction): void;
}

export function toSessionHost({ post, kept, keep }: Host, session: SessionKey): SessionHost {
  return { post: (action) => post({ ...action, session }), kept, keep };
}
