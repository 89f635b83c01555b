import { homedir } from 'node:os';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { McpServer, StdioServer } from '../../base/tools/mcpServer.ts';
import type { PreparedStart } from '../../mcp/connect/processTransport.ts';
import { findNamedFiles, findServerFiles } from '../../mcp/connect/serverFiles.ts';
import { type ProgramLookup, resolveWindowsProgram } from '../../mcp/connect/windowsProgram.ts';
import {
  isPrivateHost,
  matchesHost,
  parseHostPattern,
} from '../../permissions/patterns/hostPattern.ts';
import { childEnvironment } from '../../runtime/commands/environment.ts';
import type { ConfinedLaunch, ConfinedStart, Cut } from '../../runtime/confined.ts';
import type { Gate } from '../../runtime/runtime.ts';
import { SYSTEM_FOLDERS, SYSTEM_LINKS } from '../../runtime/sandbox/linux/argv.ts';
import { findReads } from '../../runtime/sandbox/linux/toolFolders.ts';
import { STILL_RUNS } from '../../runtime/sandbox/prepareRun.ts';
import type { HiddenFiles } from '../../tools/toolSource.ts';
import type { Settings } from '../config/settings.ts';
import type { Confinement } from './confinement.ts';
import { findServerMasks } from './serverMasks.ts';
import type { SessionCopies } from './sessionCopies.ts';

export interface ServerStartParts {
  readonly env: NodeJS.ProcessEnv;
  settings(): Pick<Settings, 'sandboxMode' | 'passedVariables'>;
  copies(): Promise<SessionCopies>;
  readonly confinement: Pick<Confinement, 'start'>;
  /** Replaced by tests. */
  readonly platform?: NodeJS.Platform;
  readonly lookup?: Pick<ProgramLookup, 'isFile' | 'read'>;
}

/** Prepares the start of an MCP server that writes these folders only and doesn't see what is hidden, if it is confined. */
export type PrepareServer = (
  server: McpServer,
  folders: readonly string[],
  hidden?: HiddenFiles,
) => Promise<Outcome<PreparedStart>>;

/**
 * A local server is confined before its first call (spec CS-62): it writes the workspace only, and reaches
 * the hosts that its entry names. Its entry, or the setting, can turn that off; without a sandbox, it runs
 * as any other program unless the user requires one.
 */
export function createServerStart(parts: ServerStartParts): PrepareServer {
  return async (server, folders, hidden) => {
    const { name, how } = server;
    if (how.type !== 'stdio') return failure(`The MCP server "${name}" is no program.`);
    const { sandboxMode, passedVariables } = parts.settings();
    const inherited = childEnvironment(parts.env, passedVariables);
    const launch = { argv: how.argv, cwd: how.cwd, env: inherited };
    const kept = toKey(server, hidden);
    const start = await confine(parts, { name, how, folders, sandboxMode, kept });
    if (start !== undefined) {
      const home = parts.env['HOME'] || homedir();
      const reads = findServerFiles(how.argv, home, [how.cwd, ...folders]);
      const confined = { ...launch, declared: how.env, reads };
      const others = findNamed(how.argv, home, folders);
      const prepared = await prepareHiding(start, confined, { hidden, others });
      return withAdvice(prepared, sandboxMode === 'require' ? REQUIRED : NO_SANDBOX);
    }
    const env = { ...inherited, ...how.env };
    const argv = resolve(parts, launch, env);
    return argv.ok
      ? success({ launch: { ...launch, argv: argv.data, env }, descriptors: [] })
      : argv;
  };
}

/** Says what to do where the sandbox can't be built, now or once its programs run. */
function withAdvice(prepared: Outcome<PreparedStart>, advice: string): Outcome<PreparedStart> {
  const advise = <Data>(outcome: Outcome<Data>): Outcome<Data> => {
    if (outcome.ok || outcome.error === STILL_RUNS) return outcome;
    const kept = /nothing was run/i.test(outcome.error) ? '' : ' Nothing was run.';
    return failure(`${outcome.error}${kept} The server is tried again. ${advice}`);
  };
  if (!prepared.ok) return advise(prepared);
  const { after } = prepared.data;
  return success({
    ...prepared.data,
    ...(after && { after: async (cut?: Cut) => advise(await after(cut)) }),
  });
}

/** What the command line names outside of the workspace and the system's folders. Of its package, nothing is hidden. */
function findNamed(
  argv: StdioServer['argv'],
  home: string,
  workspace: readonly string[],
): readonly string[] {
  const shown = [...SYSTEM_FOLDERS, ...SYSTEM_LINKS];
  return findReads(findNamedFiles(argv, home), { home, workspace, masks: [], shown });
}

async function prepareHiding(
  start: (masks: readonly string[]) => ConfinedStart,
  launch: ConfinedLaunch,
  { hidden, others }: { readonly hidden: HiddenFiles | undefined; others: readonly string[] },
): Promise<Outcome<PreparedStart>> {
  if (hidden === undefined) return start([]).prepare(launch);
  const found = await findServerMasks(hidden, others);
  if (!found.ok) return found;
  const { masks, covers } = found.data;
  const prepared = await start(masks).prepare(launch);
  return prepared.ok ? success({ ...prepared.data, covers }) : prepared;
}

/** `npx` is a batch file on Windows. */
function resolve(
  { platform = process.platform, lookup }: ServerStartParts,
  { argv, cwd }: Pick<StdioServer, 'argv' | 'cwd'>,
  env: NodeJS.ProcessEnv,
): Outcome<StdioServer['argv']> {
  if (platform !== 'win32') return success(argv);
  return resolveWindowsProgram(argv, { env, cwd, ...lookup });
}

const NO_SANDBOX = 'To run the server without the sandbox, set "sandbox": false in its entry.';
const REQUIRED = 'No server runs without the sandbox while gatehouse.sandbox.mode is "require".';

interface ServerRun {
  readonly name: string;
  readonly how: StdioServer;
  readonly folders: readonly string[];
  readonly sandboxMode: Settings['sandboxMode'];
  /** Names the folder in which it finds its HOME and /tmp again. */
  readonly kept: string;
}

/** Servers of other entries, and those from which rules hide other files, have folders of their own. */
function toKey({ origin, file, name, how }: McpServer, hidden: HiddenFiles | undefined): string {
  return JSON.stringify(['mcp', origin, file, name, how, hidden?.id]);
}

/** Undefined: it runs unconfined. */
async function confine(
  { copies, confinement }: ServerStartParts,
  { name, how, folders, sandboxMode, kept }: ServerRun,
): Promise<((masks: readonly string[]) => ConfinedStart) | undefined> {
  const writable = folders.length > 0 ? folders : [how.cwd];
  const gate = createServerGate(name, how.hosts);
  if (sandboxMode === 'require') return (masks) => confinement.start(kept, writable, gate, masks);
  if (sandboxMode === 'off' || !how.sandbox) return undefined;
  const sandbox = await copies();
  if (!sandbox.state.proven) return undefined;
  return (masks) => sandbox.live(kept, writable, gate, masks);
}

/** Lets a server reach the hosts of its entry, which the user has accepted, and no others. */
function createServerGate(name: string, hosts: readonly string[]): Gate {
  const patterns = hosts.flatMap((host) => parseHostPattern(host) ?? []);
  const decide = (target: string): Outcome<void> => {
    const { protocol, hostname, port } = new URL(target);
    const host = hostname.replace(/^\[|\]$/g, '');
    // A URL leaves out the port that its scheme has by default.
    const usual = protocol === 'http:' ? 80 : 443;
    const isNamed = patterns.some((pattern) =>
      matchesHost(pattern, host, port === '' ? usual : Number(port)),
    );
    if (isNamed) return success(undefined);
    return failure(`The entry of the MCP server "${name}" does not name the host ${host}.`);
  };
  return {
    realPath: () => undefined,
    filterBelow: () => undefined,
    authorize: async ({ capability, target }) =>
      capability === 'net.fetch' ? decide(target) : success(undefined),
    // A public name may not lead to a private address that the entry doesn't name.
    authorizeAddress: async (url) => {
      const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
      return isPrivateHost(host) ? decide(url) : success(undefined);
    },
  };
}
