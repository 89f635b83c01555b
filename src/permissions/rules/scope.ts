import { toTargetSpan } from '../../base/codeSpan.ts';
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
import type {
  ArgPattern,
  CapabilitySet,
  RequirementSet,
  ShellRequirement,
} from './requirements.ts';

/** What a requirement set grants, for real paths, hosts and argument vectors. */
export interface CapabilityScope {
  /** `realPath` comes from `resolvePath`. */
  allowsRead(realPath: string): boolean;
  /** Whether everything below a folder may be read; false when in doubt. */
  allowsReadBelow(realFolder: string): boolean;
  allowsWrite(realPath: string): boolean;
  allowsHost(host: string, port: number | undefined): boolean;
  /** Every host is granted, so an address needs no analysis. */
  readonly allowsAnyHost: boolean;
  /** All words must be literal, and argv[0] a bare name (spec CA-19). */
  allowsCommand(argv: readonly string[]): boolean;
  /** Any program with any arguments is granted, so commands need no analysis. */
  readonly allowsAnyCommand: boolean;
  /** A named capability (spec C-37), such as `task.spawn`. */
  allowsCapability(name: string): boolean;
  /**
   * What becomes of a file that a command line names. A set without a file family leaves operands to
   * its shell requirement.
   */
  grantFile(realPath: string, access: 'fs.read' | 'fs.write'): FileGrant;
  /** What becomes of a file that can't be told. */
  readonly unknownFile: FileGrant;
  /** The set has a file family. */
  readonly namesFiles: boolean;
  /** The patterns of a file family, for messages. */
  describeFiles(access: 'fs.read' | 'fs.write'): string;
}

/** `ask`: the user may allow it, whatever the rules with wildcards allow. */
export type FileGrant = 'granted' | 'ask' | 'refuse';

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

/** The same for roots that are resolved already, and for a set within another. */
export function compileScope(
  set: CapabilitySet,
  roots: Roots,
  platform: NodeJS.Platform,
): CapabilityScope {
  const own = compileOwn(set, roots, platform);
  return set.within === undefined ? own : intersect(own, compileScope(set.within, roots, platform));
}

/** Grants what both scopes grant. */
function intersect(a: CapabilityScope, b: CapabilityScope): CapabilityScope {
  return {
    allowsRead: (path) => a.allowsRead(path) && b.allowsRead(path),
    allowsReadBelow: (folder) => a.allowsReadBelow(folder) && b.allowsReadBelow(folder),
    allowsWrite: (path) => a.allowsWrite(path) && b.allowsWrite(path),
    allowsHost: (host, port) => a.allowsHost(host, port) && b.allowsHost(host, port),
    allowsAnyHost: a.allowsAnyHost && b.allowsAnyHost,
    allowsCommand: (argv) => a.allowsCommand(argv) && b.allowsCommand(argv),
    allowsAnyCommand: a.allowsAnyCommand && b.allowsAnyCommand,
    allowsCapability: (name) => a.allowsCapability(name) && b.allowsCapability(name),
    grantFile: (path, access) =>
      stricterGrant(a.grantFile(path, access), b.grantFile(path, access)),
    unknownFile: stricterGrant(a.unknownFile, b.unknownFile),
    namesFiles: a.namesFiles || b.namesFiles,
    describeFiles: (access) => `${a.describeFiles(access)}, within ${b.describeFiles(access)}`,
  };
}

function stricterGrant(a: FileGrant, b: FileGrant): FileGrant {
  if (a === 'refuse' || b === 'refuse') return 'refuse';
  return a === 'ask' ? a : b;
}

function compileOwn(set: CapabilitySet, roots: Roots, platform: NodeJS.Platform): CapabilityScope {
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

  // The session's own sidecars are always readable (spec CA-13), the rest of the host's state
  // never.
  const allowsRead = (path: string) => ownSidecar(path) || (!inState(path) && inside(read, path));
  const allowsWrite = (path: string) => !inState(path) && !ownSidecar(path) && inside(write, path);
  const outside = set.asksOutside === true ? 'ask' : 'refuse';

  return {
    allowsRead,
    allowsReadBelow: (folder) =>
      (roots.state === undefined || !isBelowFolded(roots.state, folder, platform)) &&
      !inState(folder) &&
      read.some((scope) => scope !== undefined && matchesAllBelow(scope, folder, platform)),
    allowsWrite,
    allowsHost: (host, port) =>
      set.anyHost === true || hosts.some((pattern) => matchesHost(pattern, host, port)),
    allowsAnyHost: set.anyHost === true,
    allowsCommand: (argv) => (set.shell ?? []).some((each) => coversArgv(each, argv)),
    allowsAnyCommand: (set.shell ?? []).some(({ cmd, args }) => cmd === '*' && args === undefined),
    allowsCapability: (name) => (set.capabilities ?? []).includes(name),
    grantFile(path, access) {
      const granted = access === 'fs.write' ? allowsWrite(path) : allowsRead(path);
      if (granted) return 'granted';
      return inState(path) ? 'refuse' : outside;
    },
    unknownFile: outside,
    namesFiles: set.fs !== undefined,
    describeFiles: (access) =>
      describePatterns((access === 'fs.write' ? set.fs?.write : set.fs?.read) ?? [], roots),
  };
}

/** The patterns as a user knows them: folders instead of variables. */
function describePatterns(patterns: readonly string[], roots: Roots): string {
  const names = patterns.flatMap((pattern) => expandVariables(pattern, roots));
  return names.length === 0
    ? 'no folder'
    : [...new Set(names)].map((name) => toTargetSpan(name)).join(', ');
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

const ABSOLUTE = /^(?:[A-Za-z]:)?[\\/]/;

function coversArgv({ cmd, args }: ShellRequirement, argv: readonly string[]): boolean {
  const [name = '', ...words] = argv;
  // A program path is only granted by the same absolute path, because a relative path means
  // different programs in different folders (spec CA-19).
  const path = /[\\/]/.test(name);
  if (path ? cmd !== name || !ABSOLUTE.test(name) : cmd !== '*' && cmd !== name) return false;
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
