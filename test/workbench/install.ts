import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { cacheFolder } from './paths.ts';
import { STAND_INS } from './standIns.ts';

/** The release of npm's `code-server` that carries the VS Code server (1.139) used in tests. */
const CODE_SERVER = '4.139.1';
/** Counted up when `fill` changes, so that older caches are not used. */
const RECIPE = 2;

/**
 * Returns the folder of a VS Code server with its web workbench. It is installed from npm on first
 * use (about 15 s, 480 MB) and kept in the cache by version. Throws with npm's own words when it
 * cannot be had.
 */
export function installServer(): string {
  const home = path.join(cacheFolder(), `code-server-${CODE_SERVER}-${RECIPE}`);
  const server = path.join(home, 'node_modules/code-server/lib/vscode');
  if (existsSync(path.join(home, 'ready'))) return server;

  console.log(
    `Installing VS Code from npm's code-server@${CODE_SERVER} (once, kept in the cache) …`,
  );
  const building = `${home}.${process.pid}`;
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true });
  fill(building);

  // Two runs may install at once: the first to finish wins, and both use its folder.
  rmSync(`${home}.old`, { recursive: true, force: true });
  if (existsSync(home) && !existsSync(path.join(home, 'ready'))) renameSync(home, `${home}.old`);
  if (existsSync(home)) rmSync(building, { recursive: true, force: true });
  else renameSync(building, home);
  return server;
}

function fill(folder: string): void {
  const manifest = { private: true, dependencies: { 'code-server': CODE_SERVER } };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  // The scripts of code-server compile native modules; none of what they build is needed here.
  npm(['install', '--force'], folder);

  const server = path.join(folder, 'node_modules/code-server/lib/vscode');
  // Not `npm ci`: the shrinkwrap that comes with it lacks an entry.
  npm(['install', '--omit=dev'], server);
  // The TypeScript its own extensions use; without it they complain in every window.
  npm(['install', '--omit=dev'], path.join(server, 'extensions'));
  for (const [name, code] of Object.entries(STAND_INS)) replaceModule(server, name, code);
  for (const unused of unusedFolders(server)) rmSync(unused, { recursive: true, force: true });
  writeFileSync(path.join(folder, 'ready'), '');
}

function npm(args: readonly string[], folder: string): void {
  const env: NodeJS.ProcessEnv = { ...process.env };
  // A script run by npm inherits the outer project's folder; this install has one of its own.
  delete env['npm_config_local_prefix'];
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier'];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [npmProgram(), ...args, ...quiet, '--prefix', folder],
    { cwd: folder, env, encoding: 'utf8' },
  );
  if (status === 0) return;
  throw new Error(`VS Code for tests could not be installed from npm.\n${stdout}\n${stderr}`);
}

/** npm as the one that runs this script, else the one installed beside the Node on PATH. */
function npmProgram(): string {
  const running = process.env['npm_execpath'];
  if (running?.endsWith('npm-cli.js')) return running;
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const beside = folders.map((folder) =>
    path.resolve(folder, '../lib/node_modules/npm/bin/npm-cli.js'),
  );
  const found = [...beside, '/usr/share/nodejs/npm/bin/npm-cli.js'].find((file) =>
    existsSync(file),
  );
  return found ?? createRequire(import.meta.url).resolve('npm/bin/npm-cli.js');
}

function replaceModule(server: string, name: string, code: string): void {
  const folder = path.join(server, 'node_modules', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const manifest = { name, version: '0.0.0', main: 'index.js' };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(path.join(folder, 'index.js'), code);
}

/** Parts of the server that no test reaches: its own coding agent, ripgrep for other systems. */
function unusedFolders(server: string): string[] {
  const system = `${process.platform}-${process.arch}`;
  const modules = path.join(server, 'node_modules');
  const ripgrep = path.join(modules, '@vscode/ripgrep-universal/bin');
  const others = existsSync(ripgrep) ? readdirSync(ripgrep).filter((name) => name !== system) : [];
  return [
    path.join(modules, `@github/copilot-sdk-${system}`),
    path.join(modules, '@microsoft/mxc-sdk'),
    ...others.map((name) => path.join(ripgrep, name)),
  ];
}
