import { randomUUID } from 'node:crypto';
import { devNull } from 'node:os';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { KB, MB } from '../../base/units.ts';
import type { KeptText } from '../commands/keptOutput.ts';
import { findSystemGit } from '../commands/readGit.ts';
import { type RunningProgram, startProgram } from '../commands/startProgram.ts';

export interface GitRun {
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  /** Called with the running program, for limits of its own. */
  watch?(program: RunningProgram): void;
}

/** The git of the system, which reads no configuration but what is set here. */
export interface GitProgram {
  /** Standard output. Fails with git's own last words. */
  run(run: GitRun): Promise<Outcome<string>>;
}

/** The first version whose `http.curloptResolve` binds a name to addresses. */
const OLDEST = [2, 37] as const;

/** `addresses` binds host names as curl's `--resolve` does. Fails if there is no such git. */
export async function openGit(
  workspace: readonly string[],
  env: NodeJS.ProcessEnv,
  { cwd, resolve }: { readonly cwd: string; readonly resolve: string | undefined },
  signal: AbortSignal,
): Promise<Outcome<GitProgram>> {
  const file = findSystemGit(workspace, env);
  if (file === undefined) return failure('Git was not found. Ask the user to install it.');
  const settings = [...SETTINGS, ...(resolve ? ['-c', `http.curloptResolve=${resolve}`] : [])];
  const git: GitProgram = {
    run: (run) => runGit([file, ...settings, ...run.args], { cwd, env: toEnvironment(env) }, run),
  };
  const version = await git.run({ args: ['version'], signal });
  if (!version.ok) return version;
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version.data) ?? [];
  const isNew =
    Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1]);
  return isNew ? success(git) : failure(`Git ${OLDEST.join('.')} or newer is needed.`);
}

/** Nothing of the repository is run, and no other protocol, host or program is used. */
const SETTINGS: readonly string[] = [
  '--no-pager',
  ...[
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'core.protectHFS=true',
    'core.protectNTFS=true',
    'core.askPass=',
    'credential.helper=',
    'fetch.recurseSubmodules=false',
    'submodule.recurse=false',
    'init.templateDir=',
    'http.followRedirects=false',
    'http.proxy=',
    'http.lowSpeedLimit=1',
    'http.lowSpeedTime=60',
    'protocol.allow=never',
    'protocol.http.allow=always',
    'protocol.https.allow=always',
    'transfer.bundleURI=false',
    'gc.auto=0',
    'maintenance.auto=false',
    'filter.lfs.smudge=',
    'filter.lfs.process=',
    'filter.lfs.required=false',
    'pack.threads=1',
    'core.bigFileThreshold=16m',
    'advice.detachedHead=false',
  ].flatMap((setting) => ['-c', setting]),
];

/** Where the certificates of the system are. */
const KEPT = 'PATH LANG TMPDIR SystemRoot SYSTEMROOT TEMP TMP SSL_CERT_FILE SSL_CERT_DIR'.split(
  ' ',
);

/** Neither the user's configuration nor `.netrc` is read: both can name programs and passwords. */
function toEnvironment(env: NodeJS.ProcessEnv): Readonly<Record<string, string | undefined>> {
  return {
    ...Object.fromEntries(KEPT.map((name) => [name, env[name]])),
    HOME: devNull,
    XDG_CONFIG_HOME: devNull,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_ALLOW_PROTOCOL: 'http:https',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_NO_LAZY_FETCH: '1',
    LC_ALL: 'C',
  };
}

/** The names of about 200,000 files. */
const OUTPUT_BYTES = 24 * MB;

async function runGit(
  argv: readonly [string, ...string[]],
  launch: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
  { signal, watch }: GitRun,
): Promise<Outcome<string>> {
  const started = await startProgram({
    ...{ ...launch, argv, signal },
    ending: 'group',
    // The next host ends it if this one is killed.
    mark: { run: randomUUID(), in: 'variables' },
    keep: { stdout: { head: OUTPUT_BYTES }, stderr: { head: KB, tail: 4 * KB } },
    maxStdout: OUTPUT_BYTES,
    until: 'close',
  });
  if (!started.ok) return failure(`Git did not start: ${started.fault.message}`);
  const { program } = started;
  watch?.(program);
  const by = await program.ended;
  if (by === 'flood') return failure('The repository has too many files.');
  if (by !== 'exit') return failure('It was stopped.');
  const { exitCode } = program.status();
  if (exitCode === 0) return success(program.read('stdout').head);
  return failure(toWords(program.read('stderr')));
}

/** What git said last, in a line or two. */
function toWords({ head, tail }: KeptText): string {
  const lines = `${head}\n${tail}`.split(/[\r\n]+/).map((line) => line.trim());
  const faults = lines.filter((line) => /^(fatal|error|remote):/.test(line));
  return faults.slice(-3).join(' ').slice(0, 500) || 'Git failed.';
}
