import type { AuditToolRow } from './auditLog.ts';
import { type DeclaredOptions, MAX_STDOUT } from './options.ts';
import { type ProgramRequest, type ProgramResult, runProgram } from './runProgram.ts';

/** What the log records of a run besides its result: names of variables, never values (spec A-25). */
export interface Audited extends Pick<AuditToolRow, 'tool' | 'tags'> {
  /** Logged instead of the arguments if those contain a program of ours. */
  readonly argv?: readonly string[];
  /** Names of the variables that were passed on. */
  readonly envKeys: readonly string[];
}

/** Runs a declared tool's program and writes the run to the audit log (spec A-49). */
export async function runAudited(
  request: Omit<ProgramRequest, 'maxStdout'>,
  { audit }: Pick<DeclaredOptions, 'audit'>,
  { tool, envKeys, argv = request.argv, tags = [] }: Audited,
): Promise<ProgramResult> {
  const result = await runProgram({ ...request, maxStdout: MAX_STDOUT });
  audit({
    event: 'tool',
    tool,
    argv,
    cwd: request.cwd,
    exit: result.exitCode ?? -1,
    ms: result.ms,
    stdoutBytes: result.stdoutBytes,
    stderrBytes: result.stderrBytes,
    truncated: false,
    ...(envKeys.length > 0 && { envKeys }),
    ...(tags.length > 0 && { tags }),
  });
  return result;
}
