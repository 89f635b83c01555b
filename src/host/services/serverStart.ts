import { homedir } from 'node:os';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { McpServer, StdioServer } from '../../base/tools/mcpServer.ts';
import type { PreparedStart } from '../../mcp/connect/processTransport.ts';
import { findServerFiles } from '../../mcp/connect/serverFiles.ts';
import { type ProgramLookup, resolveWindowsProgram } from '../../mcp/connect/windowsProgram.ts';
import {
  isPrivateHost,
  matchesHost,
  parseHostPattern,
} from '../../permissions/patterns/hostPattern.ts';
import { childEnvironment } from '../../runtime/commands/environment.ts';
import type { ConfinedStart } from '../../runtime/confined.ts';
import type { Gate } from '../../runtime/runtime.ts';
import type { Settings } from '../config/settings.ts';
import type { Confinement } from './confinement.ts';
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

/** Prepares the start of an MCP server that writes these folders only, if it is confined. */
export type PrepareServer = (
  server: McpServer,
  folders: readonly string[],
) => Promise<Outcome<PreparedStart>>;

/**
 * A local server is confined before its first call (spec CS-62): it writes the workspace only, and reaches
 * the hosts that its entry names. Its entry, or the setting, can turn that off; without a sandbox, it runs
 * as any other program unless the user requires one.
 */
export function createServerStart(parts: ServerStartParts): PrepareServer {
  return async ({ name, how }, folders) => {
    if (how.type !== 'stdio') return failure(`The MCP server "${name}" is no program.`);
    const { sandboxMode, passedVariables } = parts.settings();
    const inherited = childEnvironment(parts.env, passedVariables);
    const launch = { argv: how.argv, cwd: how.cwd, env: inherited };
    const confined = await confine(parts, { name, how, folders, sandboxMode });
    if (confined !== undefined) {
      const home = parts.env['HOME'] || homedir();
      const reads = findServerFiles(how.argv, home, [how.cwd, ...folders]);
      const prepared = await confined.prepare({ ...launch, declared: how.env, reads });
      if (prepared.ok || sandboxMode === 'require') return prepared;
      return failure(`${prepared.error} ${NO_SANDBOX}`);
    }
    const env = { ...inherited, ...how.env };
    const argv = resolve(parts, launch, env);
    return argv.ok
      ? success({ launch: { ...launch, argv: argv.data, env }, descriptors: [] })
      : argv;
  };
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

const NO_SANDBOX = 'To run the server without it, set "sandbox": false in its entry.';

interface ServerRun {
  readonly name: string;
  readonly how: StdioServer;
  readonly folders: readonly string[];
  readonly sandboxMode: Settings['sandboxMode'];
}

/** Undefined: it runs unconfined. */
async function confine(
  { copies, confinement }: ServerStartParts,
  { name, how, folders, sandboxMode }: ServerRun,
): Promise<ConfinedStart | undefined> {
  const writable = folders.length > 0 ? folders : [how.cwd];
  const key = `mcp:${name}:${how.cwd}`;
  const gate = createServerGate(name, how.hosts);
  if (sandboxMode === 'require') return confinement.start(key, writable, gate);
  if (sandboxMode === 'off' || !how.sandbox) return undefined;
  const sandbox = await copies();
  return sandbox.state.proven ? sandbox.live(key, writable, gate) : undefined;
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
