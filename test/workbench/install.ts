import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { cacheFolder } from './paths.ts';
import { nodePackage, type Release, testedRelease } from './release.ts';
import { STAND_INS } from './standIns.ts';

/** Counted up when `fill` changes, so that older caches are not used. */
const RECIPE = 2;

/** A VS Code server with its web workbench. */
export interface InstalledServer {
  readonly folder: string;
  /** The Node that runs it. */
  readonly node: string;
}

/**
 * Returns the VS Code server that is tested. It is installed from npm on first use (about 15 s,
 * 480 MB) and kept in the cache by version. Throws with npm's own words when it cannot be had.
 */
export function installServer(release: Release = testedRelease()): InstalledServer {
  const { codeServer, node } = release;
  const home = path.join(cacheFolder(), `code-server-${codeServer}-${RECIPE}`);
  const modules = path.join(home, 'node_modules');
  const server: InstalledServer = {
    folder: path.join(modules, 'code-server/lib/vscode'),
    node: node === undefined ? process.execPath : path.join(modules, nodePackage(), 'bin/node'),
  };
  if (existsSync(path.join(home, 'ready'))) return server;

  console.log(
    `Installing VS Code from npm's code-server@${codeServer} (once, kept in the cache) …`,
  );
  const building = `${home}.${process.pid}`;
  rmSync(building, { recursive: true, force: true, maxRetries: 5 });
  mkdirSync(building, { recursive: true });
  fill(building, release);

  // Two runs may install at once: the first to finish wins, and both use its folder.
  rmSync(`${home}.old`, { recursive: true, force: true, maxRetries: 5 });
  if (existsSync(home) && !existsSync(path.join(home, 'ready'))) renameSync(home, `${home}.old`);
  if (existsSync(home)) rmSync(building, { recursive: true, force: true, maxRetries: 5 });
  else renameSync(building, home);
  return server;
}

function fill(folder: string, { codeServer, node, standIns, published }: Release): void {
  const dependencies = {
    'code-server': codeServer,
    ...(node === undefined ? {} : { [nodePackage()]: node }),
  };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  // The scripts of code-server compile native modules; none of what they build is needed here.
  npm(['install', '--force'], folder);

  const server = path.join(folder, 'node_modules/code-server/lib/vscode');
  // The second holds the TypeScript its own extensions use; without it they complain in every window.
  for (const each of [server, path.join(server, 'extensions')]) {
    for (const [name, version] of Object.entries(published)) takeFromNpm(each, name, version);
    // Not `npm ci`: the shrinkwrap that comes with it lacks an entry.
    npm(['install', '--omit=dev'], each);
  }
  for (const name of standIns) replaceModule(server, name, STAND_INS[name] ?? '');
  addRipgrep(server);
  for (const unused of unusedFolders(server))
    rmSync(unused, { recursive: true, force: true, maxRetries: 5 });
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

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** Replaces a dependency on a git repository by what was published of it. */
function takeFromNpm(folder: string, name: string, version: string): void {
  const manifest = path.join(folder, 'package.json');
  const shrinkwrap = path.join(folder, 'npm-shrinkwrap.json');
  const own: Manifest = JSON.parse(readFileSync(manifest, 'utf8'));
  const locked: { packages: Record<string, Manifest> } = JSON.parse(
    readFileSync(shrinkwrap, 'utf8'),
  );
  delete locked.packages[`node_modules/${name}`];
  const lists = [own, ...Object.values(locked.packages)].flatMap((each) => [
    each.dependencies ?? {},
    each.devDependencies ?? {},
  ]);
  for (const list of lists) if (list[name] !== undefined) list[name] = version;
  writeFileSync(manifest, JSON.stringify(own));
  writeFileSync(shrinkwrap, JSON.stringify(locked));
}

/** Older servers download ripgrep in a script; the one of the project's own packages does as well. */
function addRipgrep(server: string): void {
  const folder = path.join(server, 'node_modules/@vscode/ripgrep');
  if (!existsSync(folder) || existsSync(path.join(folder, 'bin'))) return;
  const system = `@vscode/ripgrep-${process.platform}-${process.arch}`;
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('@vscode/ripgrep'));
  const bin = path.join(path.dirname(resolve(`${system}/package.json`)), 'bin');
  cpSync(bin, path.join(folder, 'bin'), { recursive: true });
}

function replaceModule(server: string, name: string, code: string): void {
  const folder = path.join(server, 'node_modules', name);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
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
