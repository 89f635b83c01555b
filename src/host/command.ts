import type { Readable, Writable } from 'node:stream';

/** What a command may touch of its process, so that tests can run it in-process. */
export interface CommandIo {
  /** The words after the command's name. */
  readonly args: readonly string[];
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** A command resolves to its exit code: 0 done, 1 the answer is an error, 2 misuse. */
export type Command = (io: CommandIo) => Promise<number>;
