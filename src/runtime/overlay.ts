import type { EntryRecord } from './entries.ts';

/**
 * The proposed changes of a session that wait for the user's review. The agent's own file tools see
 * them; nothing else does.
 */
export interface Overlay {
  /** By absolute path with links resolved. */
  find(path: string): OverlayFile | undefined;
  /** In the order in which the files were first changed. */
  list(): readonly OverlayFile[];
  /**
   * Stores a file's proposal before the call that made it continues; one that changes nothing is
   * removed. `toolCallId` is absent when the text only follows a change of the file on disk.
   */
  put(file: OverlayFile, toolCallId?: string): void;
}

export interface OverlayFile {
  /** Absolute, links resolved. */
  readonly path: string;
  /** The file that the proposal changes; absent when it creates the file. */
  readonly base?: OverlayBase;
  /** Absent when the proposal deletes the file. */
  readonly text?: string;
  /** The user changed the same lines on disk; the proposal would replace them. */
  readonly conflict?: true;
}

export interface OverlayBase {
  /** SHA-256 of the bytes on disk, or of a dirty document's text, as hex. */
  readonly hash: string;
  readonly text: string;
  /** Of the file on disk: equal for all names of one file. */
  readonly stamp: string;
}

/** The changes that calls make to files, kept so that the user can revert them. */
export interface ChangeLog {
  /** Keeps a change that is about to be made. The result drops it, if it was not made after all. */
  note(toolCallId: string, change: FileTexts & { readonly path: string }): () => void;
  /** The same for what is no text. */
  noteEntry(toolCallId: string, change: EntryRecord): () => void;
}

export interface FileTexts {
  /** Absent: the file is created. */
  readonly before?: string;
  /** Absent: the file is deleted. */
  readonly after?: string;
}
