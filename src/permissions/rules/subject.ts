import type { Inode, ResolvedPath } from '../patterns/paths.ts';

/**
 * One thing that a call would touch. Each subject is evaluated on its own; the strictest decision
 * applies to the call (spec CA-3).
 */
export interface Subject {
  /** The tool's id (or `mcp:<server>:<tool>`); rules may name it, its capability, a glob or `*`. */
  readonly permission: string;
  /**
   * The capability that the subject needs. Absent for tools that need none (`todo`, `question`, …).
   */
  readonly capability?: 'fs.read' | 'fs.write' | 'net.fetch' | 'shell.run' | (string & {});
  /** A path as written, a whole command line, a URL or a string. */
  readonly target: string;
  readonly match: 'path' | 'command' | 'host' | 'text';
  /** For `shell.run` of a declared tool: the program that it starts, and its arguments. */
  readonly argv?: readonly string[];
  /**
   * For a path: where it led when the call was admitted. Absent: it is resolved during evaluation.
   */
  readonly resolved?: ResolvedPath;
  /**
   * Only ask and deny rules apply to this subject. Without one, the other subjects decide the call.
   */
  readonly tightensOnly?: true;
  /** Of a tool that the workspace brings: see `Operation`. */
  readonly identity?: string;
  /** For a path that is already open, if the file has several hard links: which file it is. */
  readonly inode?: Inode;
  /** For a path: what the editor shows instead of the file, if it isn't saved. */
  readonly unsaved?: string;
}
