import type { ConfinedStart } from '../confined.ts';
import type { Gate } from '../runtime.ts';
import type { SessionCopy } from './copy.ts';

/**
 * The sandbox of this machine. A host has one `Sandbox`; it is made once, when the self-test has run or
 * its stored result was read.
 */
export interface Sandbox {
  readonly state: SandboxState;
  /** Names the kernel and the bwrap: what a user accepted for one machine doesn't hold for another. */
  readonly machine: string;
  /**
   * Opens the copy of a session. Touches nothing until a command runs in it. Only while proven; a copy of
   * a sandbox that isn't proven fails to start every command.
   */
  openCopy(options: CopyOptions): SessionCopy;
  /**
   * Runs commands for real, with nothing but the workspace writable, and its repositories (`.git`, however deep)
   * read-only. Where commands look only, nothing but their temporary files is writable.
   */
  live(options: LiveOptions): ConfinedStart;
}

/** `reason` is one sentence for the user: what is missing, and what to do where something can be done. */
export type SandboxState =
  | {
      readonly proven: true;
      /** Nothing is copied, and commands can't write in the workspace at all. */
      readonly looksOnly?: true;
    }
  | { readonly proven: false; readonly reason: string };

export interface CopyOptions {
  /** Absolute path of a folder of the session's own. Created when needed; `close` removes it. */
  readonly folder: string;
  /** The workspace folders, absolute, links resolved. Each is copied on write. */
  readonly workspace: readonly string[];
}

export interface LiveOptions extends CopyOptions, RunOptions {}

/** What one run may see and reach. */
export interface RunOptions {
  /**
   * Files and folders that are covered by empty ones, absolute, links resolved. A function finds them while the
   * sandbox is built; if it fails, nothing is run.
   */
  readonly masks: Masks;
  /** What the workspace held when the masks were found last. Absent: not known. */
  readonly had?: Had;
  /** The way to the network. Absent: there is none. */
  readonly egress?: Egress;
}

/** Whether there was something with this absolute path; with an id, whether it was this folder (`toFolderId`). Undefined: not known. */
export type Had = (file: string, id?: string) => boolean | undefined;

export type Masks = readonly string[] | (() => Promise<readonly string[]>);

/**
 * Hosts that a run may reach, by a proxy of its own. Both functions get URLs such as
 * `https://example.com:8443/`; `authorize` may ask the user while the command waits.
 */
export type Egress = Pick<Gate, 'authorize' | 'authorizeAddress'>;
