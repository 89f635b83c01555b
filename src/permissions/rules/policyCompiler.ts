import { isPlain, type LinkCache } from '../../base/disk/lookUp.ts';
import type { PolicyFolders } from '../patterns/roots.ts';
import { type Roots, toRoots } from '../patterns/roots.ts';
import { type CompiledPolicy, type CompiledRules, compileRules } from './compiledPolicy.ts';
import { type ParsedRule, parseRule } from './compiledRule.ts';
import type { Policy } from './policy.ts';
import type { CapabilitySet } from './requirements.ts';
import type { Rule } from './rule.ts';
import { type CapabilityScope, compileScope } from './scope.ts';

/**
 * Compiles policies, and recompiles only what changed: the rules for a new list or new folders, and
 * likewise the capabilities. A host has one compiler, shared by its sessions.
 */
export interface PolicyCompiler {
  /**
   * Cheap if nothing changed. Rules and requirement sets are compared by identity, so callers must
   * not mutate them; two lists are equal if they contain the same rules in the same order. Throws
   * `UnknownVariableError` if a requirement set names an unknown variable (spec C-40).
   */
  compile(policy: Policy): CompiledPolicy;
}

/** Number of rule lists, and of requirement sets, that are kept compiled. */
const KEPT = 16;
/** How long the real path of a root is cached, in milliseconds. Files are resolved every time. */
const ROOTS_FRESH_MS = 1000;

export function createPolicyCompiler(now: () => number = () => performance.now()): PolicyCompiler {
  const parsed = new WeakMap<Rule, ParsedRule>();
  const rules = createRecent<readonly Rule[], CompiledRules>(hasSameRules);
  const scopes = createRecent<CapabilitySet, CapabilityScope>(Object.is);
  const findRoots = createRootFinder(now);

  function parse(rule: Rule): ParsedRule {
    const known = parsed.get(rule) ?? parseRule(rule);
    parsed.set(rule, known);
    return known;
  }

  return {
    compile(policy) {
      const { folders, platform, capabilities } = policy;
      const { roots, plainFolders } = findRoots(folders, platform);
      const key = toKey(roots, platform);
      // No pattern can refer to the sidecars, so sessions with the same rule list share its
      // compiled form.
      const shared = toKey({ ...roots, sidecars: undefined }, platform);
      const context = { roots, platform, cwd: folders.cwd };
      const compiled = rules.get(policy.rules, `${shared}\0${folders.cwd}`, () =>
        compileRules(policy.rules, context, parse),
      );
      const scope =
        capabilities &&
        scopes.get(capabilities, key, () => compileScope(capabilities, roots, platform));
      return { ...compiled, policy, scope, roots, plainFolders };
    },
  };
}

/** A cache of values by object and key. The least recently used one is dropped. */
function createRecent<Subject extends object, Value>(isSame: (a: Subject, b: Subject) => boolean) {
  const entries: { readonly subject: Subject; readonly key: string; readonly value: Value }[] = [];
  return {
    get(subject: Subject, key: string, make: () => Value): Value {
      const at = entries.findIndex((each) => each.key === key && isSame(each.subject, subject));
      const known = entries[at];
      if (known !== undefined && at === 0) return known.value;
      if (known !== undefined) entries.splice(at, 1);
      const entry = known ?? { subject, key, value: make() };
      entries.unshift(entry);
      entries.length = Math.min(entries.length, KEPT);
      return entry.value;
    },
  };
}

/** Sessions put the same rules into lists of their own; those share what is compiled. */
function hasSameRules(a: readonly Rule[], b: readonly Rule[]): boolean {
  return a === b || (a.length === b.length && a.every((rule, at) => rule === b[at]));
}

interface FreshRoots {
  readonly roots: Roots;
  readonly plainFolders: LinkCache;
}

function createRootFinder(now: () => number) {
  let last: (FreshRoots & { readonly key: string; readonly at: number }) | undefined;
  return (folders: PolicyFolders, platform: NodeJS.Platform): FreshRoots => {
    const { workspace, adHoc, userData, state, sidecars, settings = [], editors = [] } = folders;
    const lists = [workspace, adHoc, settings, editors].flatMap((list) => [...list, '']);
    const key = [platform, ...lists, userData, state, sidecars].join('\0');
    const at = now();
    if (last?.key === key && at - last.at < ROOTS_FRESH_MS) return last;
    const links: LinkCache = new Map();
    const roots = toRoots(folders, platform, links);
    const plainFolders = new Map([...links].filter(([, link]) => isPlain(link)));
    last = { key, at, roots, plainFolders };
    return last;
  };
}

function toKey(roots: Roots, platform: NodeJS.Platform): string {
  const { workspace, adHoc, userData, settings = [], editors = [] } = roots;
  const lists = [workspace, adHoc, userData, settings, editors].flatMap((list) => [...list, '']);
  return [platform, ...lists, roots.state, roots.sidecars].join('\0');
}
