import type { Readable, Writable } from 'node:stream';

/** The parts of the process that a command uses, so that tests can run it in-process. */
export interface CommandIo {
  /** The arguments after the command's name. */
  readonly args: readonly string[];
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** Resolves to the exit code: 0 success, 1 error result, 2 usage error. */
export type Command = (io: CommandIo) => Promise<number>;
