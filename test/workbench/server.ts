import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installServer } from './install.ts';
import { endProcesses, kill, processesWith, type RunningProcess, until } from './processes.ts';

export interface ServerOptions {
  /** The extension as users get it. Absent when a page loads it from its source folder. */
  readonly vsix?: string;
  /** Packages of other extensions. */
  readonly others?: readonly string[];
  /** User settings, on top of the quiet defaults below. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Environment of the server, and so of the extension host. */
  readonly env?: NodeJS.ProcessEnv;
  /** True: folders start untrusted, as for users. Default false: every folder is trusted. */
  readonly trust?: boolean;
  /** True: pages may load an extension from a folder and run tests in its host; toasts do not show. */
  readonly driver?: boolean;
  /** Default 0: any free port. */
  readonly port?: number;
}

/** A running VS Code server on 127.0.0.1. */
export interface Server {
  readonly url: string;
  /** `host:port`, the authority of `vscode-remote:` URIs. */
  readonly authority: string;
  /** Its data folder: user settings, extensions, logs. Removed at `stop`. */
  readonly home: string;
  /** User settings for the windows that open or reload from now on, besides those that it started with. */
  setUser(change: Readonly<Record<string, unknown>>): void;
  /** Every process that was started under this server and still runs. */
  processes(): readonly RunningProcess[];
  /** Ends the server and everything under it; resolves to what had to be killed by force. */
  stop(): Promise<readonly RunningProcess[]>;
}

/** Installs VS Code if needed, and starts it with its own data folder. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { folder, node } = installServer();
  const home = mkdtempSync(path.join(tmpdir(), 'gatehouse-server-'));
  // Anything started below inherits this, so leftovers are found wherever they were re-parented.
  const marker = `${MARK}=${randomUUID()}`;
  const env = serverEnvironment(options.env, marker);
  writeSettings(home, options.settings);

  const main = path.join(folder, 'out/server-main.js');
  for (const vsix of [options.vsix ?? [], options.others ?? []].flat())
    installExtension([node, main], home, vsix, env);

  const log = path.join(home, 'server.log');
  const child = launch([node, main, ...serverArguments(home, options)], env, log);
  const port = await until('the VS Code server', () => boundPort(log, child));
  const authority = `127.0.0.1:${port}`;
  const processes = () => processesWith(marker);
  endWithThisProcess(child, home, processes);
  return {
    url: `http://${authority}`,
    authority,
    home,
    setUser: (change) => writeUser(home, { ...options.settings, ...change }),
    processes,
    stop: () => stop(child, home, processes),
  };
}

/** The variable that marks what a server starts, also what Gatehouse starts in it. */
const MARK = 'TEST_RUN_ID';

/** Settings that keep a workbench quiet: nothing pops up, moves, asks the network or watches the machine. */
const QUIET: Readonly<Record<string, unknown>> = {
  'chat.disableAIFeatures': true,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': 'off',
  'extensions.ignoreRecommendations': true,
  // Else every window looks every two seconds at what each process of the machine has open.
  'remote.autoForwardPorts': false,
  'remote.autoForwardPortsSource': 'output',
  'telemetry.telemetryLevel': 'off',
  'terminal.integrated.gpuAcceleration': 'off',
  'terminal.integrated.stickyScroll.enabled': false,
  'window.commandCenter': false,
  'window.dialogStyle': 'custom',
  'workbench.enableExperiments': false,
  'workbench.reduceMotion': 'on',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
};

function writeUser(home: string, settings: ServerOptions['settings']): void {
  const file = path.join(home, 'data/User/settings.json');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...QUIET, ...settings }, undefined, 2));
}

function writeSettings(home: string, settings: ServerOptions['settings']): void {
  writeUser(home, settings);
  // Settings of the machine, which a window that is connected to a server reads from there only; from the
  // user's as well until it knows that they are such.
  const machine = path.join(home, 'data/Machine/settings.json');
  mkdirSync(path.dirname(machine), { recursive: true });
  writeFileSync(machine, JSON.stringify({ ...UNOFFERED, 'gatehouse.environment.pass': [MARK] }));
}

/** What the user has chosen is not offered, so that no notice comes in the way of a test. */
export const UNOFFERED = { 'gatehouse.sandbox.autoRun': false };

function serverEnvironment(own: NodeJS.ProcessEnv | undefined, marker: string): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env };
  for (const name of Object.keys(env)) {
    // What a developer's shell, npm or an editor's terminal has set is not part of the test.
    if (/^(npm_|VSCODE_|GATEHOUSE_|NODE_OPTIONS$|NODE_TEST|ELECTRON_)/i.test(name))
      delete env[name];
  }
  const [name = '', value] = marker.split('=');
  // Without a gallery the workbench looks nothing up.
  return { ...env, EXTENSIONS_GALLERY: '{"serviceUrl":""}', ...own, [name]: value };
}

function folders(home: string): string[] {
  return [
    '--accept-server-license-terms',
    ...['--server-data-dir', home],
    ...['--user-data-dir', path.join(home, 'data')],
    ...['--extensions-dir', path.join(home, 'extensions')],
  ];
}

function serverArguments(home: string, { trust, driver, port = 0 }: ServerOptions): string[] {
  return [
    ...['--host', '127.0.0.1', '--port', String(port), '--without-connection-token'],
    ...['--telemetry-level', 'off', ...folders(home)],
    // A window that closes without its goodbye being heard must not keep its extension host for hours.
    ...['--reconnection-grace-time', '8'],
    ...(trust ? [] : ['--disable-workspace-trust']),
    ...(driver ? ['--enable-smoke-test-driver'] : []),
  ];
}

function installExtension(
  [node, main]: readonly [string, string],
  home: string,
  vsix: string,
  env: NodeJS.ProcessEnv,
): void {
  const args = [main, '--install-extension', vsix, ...folders(home)];
  const { status, stdout, stderr } = spawnSync(node, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The .vsix could not be installed.\n${stdout}\n${stderr}`);
}

function launch(
  [node, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
  log: string,
): ChildProcess {
  const output = openSync(log, 'a');
  const stdio = ['ignore', output, output] as const;
  // A group of its own: Ctrl+C in the terminal reaches this script only, which then stops it.
  const child = spawn(node, args, { env, stdio: [...stdio], detached: true });
  closeSync(output);
  return child;
}

function boundPort(log: string, child: ChildProcess): number | undefined {
  const text = readFileSync(log, 'utf8');
  if (child.exitCode !== null) throw new Error(`The VS Code server did not start.\n${text}`);
  const [, port] = /Extension host agent listening on (\d+)/.exec(text) ?? [];
  return port === undefined ? undefined : Number(port);
}

/** However this process ends, nothing it started outlives it. */
function endWithThisProcess(
  child: ChildProcess,
  home: string,
  processes: Server['processes'],
): void {
  process.once('exit', () => {
    if (child.exitCode === null && child.pid !== undefined) kill(-child.pid, 'SIGKILL');
    for (const { pid } of processes()) kill(pid, 'SIGKILL');
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });
  // A signal's default action would skip the step above.
  if (process.listenerCount('SIGTERM') > 0) return;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => process.exit(1));
}

async function stop(
  child: ChildProcess,
  home: string,
  processes: Server['processes'],
): Promise<readonly RunningProcess[]> {
  if (child.pid !== undefined) kill(-child.pid, 'SIGTERM');
  await until('the end', () => processes().length === 0 || undefined, 4000).catch(() => undefined);
  const left = processes();
  await endProcesses(left);
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  return left;
}
