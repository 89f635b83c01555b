import type { ToExtension } from '../messages/messages.ts';

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
