/** One word of a command after quote removal. */
export interface ShellWord {
  /** What the program gets; for a word that is not literal, the source text. */
  readonly value: string;
  /** The shell passes exactly `value`: no expansion, no glob, no brace list. */
  readonly literal: boolean;
  /** It starts with an unquoted `~`. */
  readonly tilde?: boolean;
}

/** One thing that a command line would do. */
export type Act = CommandAct | FileAct | HostAct;

/** A simple command that would run, or may run. */
export interface CommandAct {
  readonly kind: 'command';
  readonly words: readonly ShellWord[];
  /** Why this is never better than ask; undefined when everything about it is known. */
  readonly doubt?: string;
  /** Indices of the words that an allow must spell out (corpus C8). */
  readonly risky: ReadonlySet<number>;
  /** Indices of the words that name a host. */
  readonly hosts?: ReadonlySet<number>;
  /** Its other words may name hosts too: it may speak to the network, how is not known. */
  readonly namesHosts?: true;
  /** The program is not known, so that any of its words may be a command that it starts. */
  readonly mayLaunch?: true;
  /** The shell that reads it, when that is another than the line's own. */
  readonly shell?: 'pwsh' | 'cmd';
  /** Found by guessing at an unknown option: a deny or ask on it counts, nothing else. */
  readonly tightensOnly?: true;
}

/** Stands for a folder that is not known. */
export const ELSEWHERE = '';

/** A file that is read or written. */
export interface FileAct {
  readonly kind: 'file';
  readonly access: 'fs.read' | 'fs.write';
  readonly target: string;
  /** The folders it may be relative to; `ELSEWHERE` among them: others too. */
  readonly folders: readonly string[];
  /** `redirection`: a full subject. `operand`: known to be used so. `named`: a program that is not known names it. */
  readonly role: 'redirection' | 'operand' | 'named';
  /** Everything below it is touched as well; `visible`: but for hidden files. */
  readonly sweep?: 'all' | 'visible';
  /** Which of what lies below is touched is not on the line, so a rule about it asks at most. */
  readonly unsure?: true;
  /** Only names like this one are touched there; `*` is any text. */
  readonly only?: string;
  readonly doubt?: string;
}

/** A host that is spoken to. */
export interface HostAct {
  readonly kind: 'host';
  readonly url: string;
  readonly role: 'redirection' | 'operand';
}

/** What is known of a whole line. */
export interface ShellAnalysis {
  readonly acts: readonly Act[];
  /** Why the line as a whole is never better than ask. */
  readonly doubts: readonly string[];
  /** Why the line is denied without more: too long or too deep to be analysed (a deny must not soften). */
  readonly refused?: string;
}
