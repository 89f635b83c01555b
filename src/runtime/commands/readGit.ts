import { realpathSync } from 'node:fs';
import path from 'node:path';
import { isInFolder } from '../../base/disk/insideFolder.ts';
import { MB } from '../../base/units.ts';
import type { GitAnswer, ReadGit } from '../../permissions/rules/policy.ts';
import { findOnPath } from './onPath.ts';
import { startProgram } from './startProgram.ts';

/**
 * Returns how the permission engine reads repositories: with the git of the system, never one that
 * lies in the workspace. Nothing that the repository configures or holds is run, nothing is
 * contacted, and nothing is written.
 */
export function createReadGit(
  workspace: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  timeoutMs = LIMIT_MS,
): ReadGit {
  let found: string | undefined;
  return async (cwd, args, signal) => {
    found ??= findSystemGit(workspace, env);
    return found === undefined
      ? undefined
      : runGit({ git: found, env, timeoutMs }, cwd, args, signal);
  };
}

/** The git of the system, never one that lies in the workspace. */
export function findSystemGit(
  workspace: readonly string[],
  env: NodeJS.ProcessEnv,
): string | undefined {
  return findOnPath('git', dropBelow(env['PATH'], workspace));
}

/** A FIFO that the repository has in place of a file of git would hold it up. */
const LIMIT_MS = 10_000;

interface Git {
  readonly git: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
}

async function runGit(
  { git, env, timeoutMs }: Git,
  cwd: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<GitAnswer | undefined> {
  const started = await startProgram({
    argv: [git, ...SETTINGS, ...args],
    cwd,
    env: toEnvironment(env),
    ending: 'program',
    stderr: 'ignore',
    keep: { stdout: { head: OUTPUT_BYTES } },
    maxStdout: OUTPUT_BYTES,
    until: 'close',
    timeoutMs,
    signal,
  });
  if (!started.ok) return undefined;
  const by = await started.program.ended;
  const { exitCode } = started.program.status();
  if (by !== 'exit' || exitCode === null) return undefined;
  return { exitCode, output: started.program.read('stdout').head };
}

/** The names of about 100,000 changed files. */
const OUTPUT_BYTES = 8 * MB;

const SETTINGS: readonly string[] = [
  '--no-pager',
  '--no-optional-locks',
  ...['-c', 'core.fsmonitor=false'],
  ...['-c', 'core.hooksPath=/dev/null'],
  ...['-c', 'safe.bareRepository=explicit'],
  ...['-c', 'protocol.allow=never'],
];

/** Variables that git needs to start and to find the user's own configuration. */
const KEPT =
  `PATH HOME XDG_CONFIG_HOME LANG LC_ALL TMPDIR SystemRoot SYSTEMROOT USERPROFILE HOMEDRIVE
  HOMEPATH APPDATA LOCALAPPDATA ProgramData TEMP TMP`.split(/\s+/);

/** None of the host's own `GIT_…` is kept: those name other repositories and programs. */
function toEnvironment(env: NodeJS.ProcessEnv): Readonly<Record<string, string | undefined>> {
  const kept = Object.fromEntries(KEPT.map((name) => [name, env[name]]));
  return {
    ...kept,
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    GIT_PAGER: 'cat',
  };
}

/** The folders of the search path that don't lie in the workspace. */
function dropBelow(folders: string | undefined, workspace: readonly string[]): string {
  const roots = workspace.map(toReal);
  return (folders ?? '')
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .filter((folder) => !roots.some((root) => isInFolder(toReal(folder), root)))
    .join(path.delimiter);
}

function toReal(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // It doesn't exist, so no program is found there.
    return folder;
  }
}
