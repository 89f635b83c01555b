import { getToolFacts } from '../../base/tools/toolFacts.ts';
import type { LinkCache } from '../patterns/paths.ts';
import { type Roots, toRoots } from '../patterns/places.ts';
import { type CompiledRule, compileRule } from './compiledRule.ts';
import { type FileRules, selectFileRules } from './fileRules.ts';
import type { Policy, PolicyFolders } from './policy.ts';
import type { RequirementSet } from './requirements.ts';
import type { Rule } from './rule.ts';
import { indexRules, type RuleIndex, watchPrograms } from './ruleIndex.ts';
import { type CapabilityScope, compileRequirements } from './scope.ts';
import { type WatchedHosts, watchHosts } from './watchedHosts.ts';

/** A policy, compiled. */
export interface CompiledPolicy {
  readonly rules: readonly CompiledRule[];
  readonly index: RuleIndex;
  /** The rules about files that a command line touches. */
  readonly fileRules: FileRules;
  /** Undefined: capabilities do not limit. */
  readonly scope: CapabilityScope | undefined;
  readonly roots: Roots;
  readonly policy: Policy;
  /** What is a link, as this decision found it. */
  readonly links: LinkCache;
  /** Some rule asks about or denies files, so that a command's operands are worth a look. */
  readonly tightensFiles: boolean;
  /** Some rule asks about or denies commands. */
  readonly tightensCommands: boolean;
  /** The programs that some rule asks about or denies by name. */
  readonly watchedPrograms: ReadonlySet<string>;
  /** The hosts that some rule asks about or denies by name. */
  readonly watchedHosts: WatchedHosts;
}

/** Rules are compiled once for a rule list, the folders and the platform; links are looked up anew each time. */
export function compilePolicy(policy: Policy): CompiledPolicy {
  const { rules, capabilities, folders, platform } = policy;
  const { roots, plainFolders } = rootsOf(folders, platform);
  const compiled = compileRules(rules, roots, folders, platform);
  return {
    ...compiled,
    scope: capabilities === undefined ? undefined : scopeOf(capabilities, roots, policy),
    roots,
    policy,
    links: new Map(plainFolders),
  };
}

/** The same law with more allows; what tightens stays as it is, so nothing else is compiled anew. */
export function withAllows(compiled: CompiledPolicy, allows: readonly Rule[]): CompiledPolicy {
  const { roots, policy } = compiled;
  const context = { roots, platform: policy.platform, cwd: policy.folders.cwd };
  const added = allows.map((rule) => compileRule({ ...rule, action: 'allow' }, context));
  const files = selectFileRules(added);
  const own = indexRules(added);
  return {
    ...compiled,
    rules: [...compiled.rules, ...added],
    index: {
      find: (text, aliases) => [...compiled.index.find(text, aliases), ...own.find(text, aliases)],
    },
    fileRules: {
      'fs.read': [...compiled.fileRules['fs.read'], ...files['fs.read']],
      'fs.write': [...compiled.fileRules['fs.write'], ...files['fs.write']],
    },
  };
}

interface Compiled<Value> {
  readonly key: string;
  readonly value: Value;
}

type RuleSet = Pick<
  CompiledPolicy,
  | 'rules'
  | 'index'
  | 'fileRules'
  | 'tightensFiles'
  | 'tightensCommands'
  | 'watchedPrograms'
  | 'watchedHosts'
>;

const knownRules = new WeakMap<readonly Rule[], Compiled<RuleSet>>();
const knownScopes = new WeakMap<RequirementSet, Compiled<CapabilityScope>>();

function compileRules(
  rules: readonly Rule[],
  roots: Roots,
  folders: PolicyFolders,
  platform: NodeJS.Platform,
): RuleSet {
  // No pattern can name the sidecars, so sessions that share a list share what is compiled.
  const shared = toKey({ ...roots, sidecars: undefined }, platform);
  const key = `${shared}\0${folders.cwd}\0${rules.length}`;
  const known = knownRules.get(rules);
  if (known?.key === key) return known.value;
  const tight = rules.filter((rule) => rule.action !== 'allow').map((rule) => rule.permission);
  const compiled = rules.map((rule) => compileRule(rule, { roots, platform, cwd: folders.cwd }));
  const value = {
    rules: compiled,
    index: indexRules(compiled),
    fileRules: selectFileRules(compiled),
    tightensFiles: tight.some(isAboutFiles),
    tightensCommands: tight.some((permission) => mayMean(permission, 'shell', 'command')),
    watchedPrograms: watchPrograms(compiled.filter(isAboutCommands)),
    watchedHosts: watchHosts(compiled),
  };
  knownRules.set(rules, { key, value });
  return value;
}

function isAboutCommands({ rule }: CompiledRule): boolean {
  return mayMean(rule.permission, 'shell', 'command');
}

function scopeOf(
  set: RequirementSet,
  roots: Roots,
  { folders, platform }: Policy,
): CapabilityScope {
  const key = toKey(roots, platform);
  const known = knownScopes.get(set);
  if (known?.key === key) return known.value;
  const value = compileRequirements(set, folders, platform);
  knownScopes.set(set, { key, value });
  return value;
}

function toKey(roots: Roots, platform: NodeJS.Platform): string {
  return [
    platform,
    ...roots.workspace,
    '',
    ...roots.adHoc,
    '',
    ...roots.userData,
    roots.state,
    roots.sidecars,
  ].join('\0');
}

/** Whether rules of this permission are about paths. */
function isAboutFiles(permission: string): boolean {
  return mayMean(permission, 'fs', 'path');
}

/** Whether a permission may name tools about this kind of target, or a capability of this family. */
function mayMean(permission: string, family: string, about: 'command' | 'path'): boolean {
  if (permission.includes('*') || permission.startsWith(`${family}.`)) return true;
  return getToolFacts(permission)?.about === about;
}

/** Milliseconds for which a root's real place is taken as known; files are resolved anew each time. */
const ROOTS_FRESH_MS = 1000;
let knownRoots: (FreshRoots & { readonly key: string; readonly at: number }) | undefined;

interface FreshRoots {
  readonly roots: Roots;
  /** The folders on the way to the roots that are no links: every path in a root leads through them. */
  readonly plainFolders: LinkCache;
}

function rootsOf(folders: PolicyFolders, platform: NodeJS.Platform): FreshRoots {
  const { workspace, adHoc, userData, state, sidecars } = folders;
  const key = [platform, ...workspace, '', ...adHoc, '', userData, state, sidecars].join('\0');
  const now = performance.now();
  if (knownRoots?.key === key && now - knownRoots.at < ROOTS_FRESH_MS) return knownRoots;
  const links: LinkCache = new Map();
  const roots = toRoots(folders, platform, links);
  const plainFolders = new Map([...links].filter(([, link]) => link === 'plain'));
  knownRoots = { key, at: now, roots, plainFolders };
  return knownRoots;
}
