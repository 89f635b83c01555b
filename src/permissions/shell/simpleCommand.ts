import type { Assignment, Redirection } from 'unbash';
import type { ShellWord } from './acts.ts';
import type { Folders } from './folders.ts';

/** One simple command as it stands on the line, or as a launcher would start it. */
export interface SimpleCommand {
  readonly words: readonly ShellWord[];
  readonly assignments?: readonly Assignment[];
  readonly redirections?: readonly Redirection[];
  readonly folders: Folders;
  /** The program whose row says what happens to its operands, when it is not its own name. */
  readonly as?: string;
  /** What its arguments tell, when that is known already. */
  readonly found?: Arguments;
}

/** What a program's own arguments tell. */
export interface Arguments {
  readonly risky: ReadonlySet<number>;
  /** Commands that an option starts: `find -exec`. */
  readonly commands: readonly (readonly ShellWord[])[];
  /** Words after an option that runs something. */
  readonly guesses: readonly (readonly ShellWord[])[];
  /** Words that name a host. */
  readonly hosts?: ReadonlySet<number>;
  /** Any other word may name one. */
  readonly namesHosts?: boolean;
  /** The program is not known: any word may be a command that it starts. */
  readonly mayLaunch?: boolean;
}
