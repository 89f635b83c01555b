import type { Inode, ResolvedPath } from '../patterns/paths.ts';

/** One thing a call would touch. The gate judges each; the strictest answer is the call's (spec CA-3). */
export interface Subject {
  /** The tool's id (or `mcp:<server>:<tool>`); rules may name it, its capability, a glob or `*`. */
  readonly permission: string;
  /** The capability this touch needs. Absent for tools that need none (`todo`, `question`, …). */
  readonly capability?: 'fs.read' | 'fs.write' | 'net.fetch' | 'shell.run' | (string & {});
  /** A path as written, one whole command line, a URL or a text. */
  readonly target: string;
  readonly match: 'path' | 'command' | 'host' | 'text';
  /** Of a path: where it led when the call was admitted. Absent: it is resolved when it is evaluated. */
  readonly resolved?: ResolvedPath;
  /** Only a rule that asks or denies counts; without one the call is decided by its other subjects. */
  readonly tightensOnly?: true;
  /** Of a path that was opened already, when the file has several names: which file it is. */
  readonly inode?: Inode;
}
