import type { SessionKey, ToExtension, UserAction } from '../messages/messages.ts';

/** State that survives when VS Code disposes of the page, such as the unsent draft. */
export interface Kept {
  readonly draft: string;
}

/** The webview's API of the editor. Tests replace it. */
export interface Host {
  post(message: ToExtension): void;
  kept(): Kept;
  keep(kept: Kept): void;
}

/** The same API for the views of one session, which adds the session to each message. */
export interface SessionHost extends Omit<Host, 'post'> {
  post(action: UserAction): void;
}

export function toSessionHost({ post, kept, keep }: Host, session: SessionKey): SessionHost {
  return { post: (action) => post({ ...action, session }), kept, keep };
}
