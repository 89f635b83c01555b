import { matchesHost, parseHostPattern } from '../patterns/hostPattern.ts';
import {
  matchesAllBelow,
  matchesPath,
  type PathPattern,
  parsePathPattern,
} from '../patterns/pathPattern.ts';
import { isBelowFolded } from '../patterns/paths.ts';
import type { PolicyFolders } from '../patterns/roots.ts';
import { expandVariables, type Roots, toRoots } from '../patterns/roots.ts';
import type { ArgPattern, RequirementSet, ShellRequirement } from './requirements.ts';

/** What a requirement set grants, for real paths, hosts and argument vectors. */
export interface CapabilityScope {
  /** `realPath` comes from `resolvePath`. */
  allowsRead(realPath: string): boolean;
  /** Whether everything below a folder may be read; false when in doubt. */
  allowsReadBelow(realFolder: string): boolean;
  allowsWrite(realPath: string): boolean;
  allowsHost(host: string, port: number | undefined): boolean;
  /** All words must be literal, and argv[0] a bare name (spec CA-19). */
  allowsCommand(argv: readonly string[]): boolean;
  /** Any program with any arguments is granted, so commands need no analysis. */
  readonly allowsAnyCommand: boolean;
  /** A named capability (spec C-37), such as `task.spawn`. */
  allowsCapability(name: string): boolean;
  /** The set has a file family. Without one, the shell requirement alone covers operands. */
  readonly namesFiles: boolean;
}

/**
 * Compiles a requirement set (spec C-33 … C-40). An absent family or an empty expansion grants
 * nothing. Throws `UnknownVariableError` for a variable other than the three known ones.
 */
export function compileRequirements(
  set: RequirementSet,
  folders: PolicyFolders,
  platform: NodeJS.Platform = process.platform,
): CapabilityScope {
  return compileScope(set, toRoots(folders, platform), platform);
}

/** The same for roots that are resolved already. */
export function compileScope(
  set: RequirementSet,
  roots: Roots,
  platform: NodeJS.Platform,
): CapabilityScope {
  const read = (set.fs?.read ?? []).map((each) => parseScope(each, roots, platform));
  const write = (set.fs?.write ?? []).map((each) => parseScope(each, roots, platform));
  const hosts = (set.net?.hosts ?? []).flatMap((each) => parseHosts(each, roots));
  const inside = (scopes: readonly (PathPattern | undefined)[], path: string) =>
    scopes.some((scope) => scope !== undefined && matchesPath(scope, path, platform));
  const inState = (path: string) =>
    roots.state !== undefined && isBelowFolded(path, roots.state, platform);
  const ownSidecar = (path: string) =>
    roots.sidecars !== undefined &&
    isBelowFolded(path, roots.sidecars, platform) &&
    path !== roots.sidecars;

  return {
    // The session's own sidecars are always readable (spec CA-13), the rest of the host's state
    // never.
    allowsRead: (path) => ownSidecar(path) || (!inState(path) && inside(read, path)),
    allowsReadBelow: (folder) =>
      (roots.state === undefined || !isBelowFolded(roots.state, folder, platform)) &&
      !inState(folder) &&
      read.some((scope) => scope !== undefined && matchesAllBelow(scope, folder, platform)),
    allowsWrite: (path) => !inState(path) && !ownSidecar(path) && inside(write, path),
    allowsHost: (host, port) => hosts.some((pattern) => matchesHost(pattern, host, port)),
    allowsCommand: (argv) => (set.shell ?? []).some((each) => coversArgv(each, argv)),
    allowsAnyCommand: (set.shell ?? []).some(({ cmd, args }) => cmd === '*' && args === undefined),
    allowsCapability: (name) => (set.capabilities ?? []).includes(name),
    namesFiles: set.fs !== undefined,
  };
}

/** The union of two sets, for an agent's manifest and its tools (spec C-7, C-8, decision 20). */
export function uniteRequirements(a: RequirementSet, b: RequirementSet): RequirementSet {
  const fs = a.fs || b.fs;
  const net = a.net || b.net;
  return {
    ...(fs && {
      fs: { read: join(a.fs?.read, b.fs?.read), write: join(a.fs?.write, b.fs?.write) },
    }),
    ...(net && { net: { hosts: join(a.net?.hosts, b.net?.hosts) } }),
    shell: join(a.shell, b.shell),
    capabilities: join(a.capabilities, b.capabilities),
  };
}

function join<Item>(left: readonly Item[] = [], right: readonly Item[] = []): readonly Item[] {
  return [...left, ...right];
}

/** Relative patterns, including a bare `**`, start at each workspace root (spec C-33). */
function parseScope(
  pattern: string,
  roots: Roots,
  platform: NodeJS.Platform,
): PathPattern | undefined {
  const text = /^\*+$/.test(pattern) ? '{workspace}/**' : pattern;
  return parsePathPattern(text, {
    roots,
    platform,
    bases: roots.workspace,
    reachesEverywhere: false,
    prefixes: false,
  });
}

function parseHosts(pattern: string, roots: Roots) {
  const parsed = expandVariables(pattern, roots).map(parseHostPattern);
  return parsed.filter((each) => each !== undefined);
}

function coversArgv({ cmd, args }: ShellRequirement, argv: readonly string[]): boolean {
  const [name = '', ...words] = argv;
  // A program path is only granted by the same absolute path, because a relative path means
  // different programs in different folders (spec CA-19).
  const path = /[\\/]/.test(name);
  if (path ? cmd !== name || !name.startsWith('/') : cmd !== '*' && cmd !== name) return false;
  if (args === undefined) return true;
  return (
    args.length === words.length &&
    args.every((pattern, index) => matchesArgument(pattern, words[index] ?? ''))
  );
}

function matchesArgument(pattern: ArgPattern, word: string): boolean {
  if (typeof pattern === 'string') return pattern === word;
  if ('wildcard' in pattern) return !word.startsWith('-');
  return word.startsWith(pattern.prefix);
}
