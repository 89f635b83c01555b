/** One word of a command after quote removal. */
export interface ShellWord {
  /** The value that the program receives; for a word that isn't literal, the source text. */
  readonly value: string;
  /** The shell passes exactly `value`: no expansion, glob or brace list. */
  readonly literal: boolean;
  /** The word starts with an unquoted `~`, or has one in what looks like an assignment: `if=~/x`. */
  readonly tilde?: boolean;
  /** The glob that this word is a match of, as written. */
  readonly glob?: string;
  /** Why the value isn't known. A sentence. */
  readonly why?: string;
  /**
   * The word isn't literal, but its value may be printed: an integer, or the output of commands on
   * the line. `words`: it may become several words.
   */
  readonly printable?: 'word' | 'words';
  /** The word isn't literal, and names a pipe: `<(command)`. */
  readonly pipe?: true;
  /** The word stands for file names that the program only reads: `{}` of `find -exec`. */
  readonly names?: true;
  /** The word isn't literal, and is one of these files in each iteration of a loop. */
  readonly each?: GlobValue;
}

/** The files that the globs of a loop match. */
export interface GlobValue {
  /** The first of the globs, as written. */
  readonly glob: string;
  readonly matches: readonly string[];
}

/** One thing that a command line would do. */
export type Act = CommandAct | FileAct | HostAct;

/** A simple command that runs or may run. */
export interface CommandAct {
  readonly kind: 'command';
  readonly words: readonly ShellWord[];
  /** Why the command can't be allowed without asking, as a sentence; undefined if it is fully understood. */
  readonly doubt?: string;
  /** Indices of the words that an allow must contain literally (corpus C8). */
  readonly risky: ReadonlySet<number>;
  /** Indices of the words of commands that it starts, which are acts of their own. */
  readonly inner?: ReadonlySet<number>;
  /** Indices of the words that name a host. */
  readonly hosts?: ReadonlySet<number>;
  /**
   * Of these, the words that name another host than the program's own: an allow must contain them up to
   * the end of the host.
   */
  readonly remotes?: ReadonlySet<number>;
  /** Its other words may name hosts, too: it is unknown how the program uses the network. */
  readonly namesHosts?: true;
  /** The program is unknown, so any of its words may be a command that it runs. */
  readonly mayLaunch?: true;
  /** The folders that it may run in, if it looks for a repository, ignore files or settings from there. */
  readonly folders?: readonly string[];
  /** `git -C folder …` as `git …`, which runs in `folders`. */
  readonly inFolder?: Pick<CommandAct, 'words' | 'risky' | 'hosts' | 'remotes'>;
  /** The shell that runs it, if it isn't the line's own. */
  readonly shell?: 'pwsh' | 'cmd';
  /** See `FileAct`. */
  readonly offers?: FileAct['offers'];
  /** Found by guessing after an unknown option: only ask and deny rules count. */
  readonly tightensOnly?: true;
  /** The tracked files that it prints are acts of their own. */
  readonly listed?: true;
  /** Why its risky words are risky, if it isn't for what they may run. A sentence. */
  readonly why?: string;
}

/** Stands for an unknown folder. */
export const ELSEWHERE = '';

/** A file that is read or written. */
export interface FileAct {
  readonly kind: 'file';
  readonly access: 'fs.read' | 'fs.write';
  readonly target: string;
  /**
   * The folders that the target may be relative to. If `ELSEWHERE` is one of them, there may be
   * others.
   */
  readonly folders: readonly string[];
  /**
   * `redirection`: a full subject. `operand`: the program is known to use the file. `named`: an
   * unknown program is given the name.
   */
  readonly role: 'redirection' | 'operand' | 'named';
  /** The command that a launcher starts is given it, too. */
  readonly passed?: true;
  /** Everything below it is touched, too; `visible`: except hidden files. */
  readonly sweep?: 'all' | 'visible';
  /** The hidden files that are touched, too, although it is `visible`. */
  readonly includes?: Includes;
  /** The line doesn't say which of the files below are touched, so a rule for one asks at most. */
  readonly unsure?: true;
  /**
   * What lies below is moved, removed or copied with the folder, so a protected file there asks. `all`: it
   * arrives elsewhere; `removed`: it is gone; `untracked`: removed, apart from what git tracks; `tracked`:
   * removed as far as git tracks it.
   */
  readonly carries?: 'all' | 'removed' | 'untracked' | 'tracked';
  /** Only files with names like this are touched; `*` is any text. */
  readonly only?: string;
  /** Links below are followed. Without `sweep`, only what they lead to counts. */
  readonly follows?: true;
  /** If it is an archive, its members are read, too, which may be other files. */
  readonly archive?: true;
  /** What is left out below. */
  readonly without?: readonly Exclusion[];
  /** The paths of files below that the command is known to leave out. Real and absolute. */
  readonly ignored?: ReadonlySet<string>;
  /** Git takes the word `HEAD` for a revision. A rule may still mean a file of that name. */
  readonly revision?: true;
  /** The target is relative to the root of the repository that git finds from the folders. */
  readonly top?: true;
  /** The folders that the command runs in, where `folders` are the roots of their repositories. */
  readonly from?: readonly string[];
  /**
   * Git reads it only if it finds no repository that all of these paths lie in: `git diff a b` compares
   * any two folders then.
   */
  readonly unlessIn?: readonly string[];
  /**
   * Git reads it only if one of these words is a revision, which it refuses if the word is the path of a
   * file, too: `git grep x src`.
   */
  readonly unlessThere?: readonly string[];
  /** The files come from a history, so what lies in the folder now doesn't decide. */
  readonly past?: true;
  /** The files below the other operands arrive here, so what lies here now isn't all. */
  readonly arrives?: true;
  /** Another command of the line may change what lies there. */
  readonly unsettled?: true;
  /** The glob that the target is a match of, as written. */
  readonly glob?: string;
  /** The words of the sweeping command; an alternative to it is made of them. */
  readonly command?: readonly ShellWord[];
  /**
   * An alternative to the command may be offered. `option`: it is `git -C folder`, and these are its
   * words without that.
   */
  readonly offers?: 'command' | 'option';
  readonly doubt?: string;
  /** Its names are passed to another command, which may take one for something else. */
  readonly passes?: PassedNames;
  /** The name that the other command misreads, and why. A sentence. */
  readonly misread?: string;
}

/** How the names that a command prints become words of another one. */
export interface PassedNames {
  /** The program that gets them. */
  readonly to: string;
  /** A name that starts with a dash is an option. */
  readonly options: boolean;
  /** Names are split at spaces, and quotes are removed. */
  readonly splits: boolean;
  /** The shell splits them, and replaces patterns among them by names that match: `cat $(…)`. */
  readonly expands?: true;
  /** The arguments of the git command that prints them. Absent: another program does. */
  readonly git?: readonly string[];
}

/** `unignored`: those that an ignore file includes (`!.env`); `tracked`: those in git's index. */
export type Includes = 'unignored' | 'tracked';

/** Files or folders that a sweep certainly leaves out, in any case as spelled. */
export interface Exclusion {
  /**
   * `file` and `folder`: those with such a name, where `*` is any text. `any`: both. `path`: the
   * path relative to the command's folder, with everything below it; with a slash at its end only if it is a folder.
   */
  readonly kind: 'file' | 'folder' | 'any' | 'path';
  readonly pattern: string;
}

/**
 * What a git command does to files of the work tree that no word names. Revisions and paths are as
 * written.
 */
export type GitStep =
  /** `checkout` takes a revision or paths, or both. Undefined: there is no `--`. */
  | {
      readonly how: 'checkout';
      readonly operands: readonly string[];
      readonly marked: readonly string[] | undefined;
      readonly force: boolean;
      /** Files that the revision doesn't have are removed. */
      readonly removes: boolean;
    }
  /** The files that differ between HEAD and the revision; undefined: no commit, so all are removed. */
  | { readonly how: 'switch'; readonly to: string | undefined; readonly force: boolean }
  /** Every file becomes that of the revision. */
  | { readonly how: 'reset'; readonly to: string }
  /** The files below the paths become those of the revision, or of the index. */
  | {
      readonly how: 'restore';
      readonly from: string | undefined;
      readonly paths: readonly string[];
      readonly removes: boolean;
    }
  /**
   * What `theirs` changed since the common ancestor with HEAD or with `since`. `replays`: commits
   * that it has already are left out.
   */
  | {
      readonly how: 'merge';
      readonly theirs: string;
      readonly since?: string;
      readonly replays?: true;
    }
  /** What these commits changed, or the reverse. `parent` counts from one. */
  | {
      readonly how: 'pick';
      readonly commits: readonly string[];
      readonly parent: number;
      readonly reverse: boolean;
    }
  | { readonly how: 'unstash'; readonly stash: string };

/** A git command that brings files from the repository into its work tree. */
export interface GitMove {
  /** The words of its command act. */
  readonly words: readonly ShellWord[];
  readonly folders: readonly string[];
  readonly steps: readonly GitStep[];
  /** Why what it brings can't be told; a clause that completes "because …". */
  readonly unclear?: string;
}

/** A host that is contacted. */
export interface HostAct {
  readonly kind: 'host';
  readonly url: string;
  readonly role: 'redirection' | 'operand';
}

/** The analysis of a whole line. */
export interface ShellAnalysis {
  readonly acts: readonly Act[];
  /**
   * Why the whole line can't be allowed without asking. Sentences.
   */
  readonly doubts: readonly string[];
  /**
   * Why the line is denied: it is too long or too deep to analyze, and a deny rule must not be
   * missed. A sentence.
   */
  readonly refused?: string;
  /**
   * The texts that bash would parse, with their lines joined: the line, and the texts of `sh -c` in
   * it.
   */
  readonly readings?: readonly string[];
  /** The line contains loops, branches or groups. */
  readonly compound?: true;
  /** The git commands that bring files, in order; absent: none. */
  readonly moves?: readonly GitMove[];
}
