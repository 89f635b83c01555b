import type { Assignment, Redirection } from 'unbash';
import type { ShellWord } from './acts.ts';
import type { FileNames } from './fileNames.ts';
import type { Folders } from './folders.ts';

/** One simple command as written on the line, or as a launcher runs it. */
export interface SimpleCommand {
  readonly words: readonly ShellWord[];
  readonly assignments?: readonly Assignment[];
  readonly redirections?: readonly Redirection[];
  readonly folders: Folders;
  /** The file names that it gets from the pipe. */
  readonly piped?: FileNames;
  /** The program whose table row describes the operands, if it isn't its own name. */
  readonly as?: string;
  /** The analyzed arguments, if already known. */
  readonly found?: Arguments;
}

/** The result of analyzing a program's own arguments. */
export interface Arguments {
  readonly risky: ReadonlySet<number>;
  /** Commands that an option runs: `find -exec`. */
  readonly commands: readonly (readonly ShellWord[])[];
  /** Words after an option that runs something. */
  readonly guesses: readonly (readonly ShellWord[])[];
  /** Indices of the words that name a host. */
  readonly hosts?: ReadonlySet<number>;
  /** Of these, the words that name another host than the program's own. */
  readonly remotes?: ReadonlySet<number>;
  /** Indices of the operands that are files it reads, and nothing else. */
  readonly read?: ReadonlySet<number>;
  /** Any other word may name a host. */
  readonly namesHosts?: boolean;
  /** The program is unknown, so any word may be a command that it runs. */
  readonly mayLaunch?: boolean;
}
