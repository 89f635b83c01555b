import { getToolFacts } from '../../base/tools/toolFacts.ts';
import type { LinkCache } from '../patterns/paths.ts';
import type { Roots } from '../patterns/roots.ts';
import {
  type CompileContext,
  type CompiledRule,
  compileRule,
  type ParsedRule,
  parseRule,
} from './compiledRule.ts';
import { type FileRules, selectFileRules } from './fileRules.ts';
import type { Policy } from './policy.ts';
import type { Rule } from './rule.ts';
import { indexRules, joinLists, type RuleIndex, watchPrograms } from './ruleIndex.ts';
import { type RuleList, toRuleList } from './ruleList.ts';
import type { CapabilityScope } from './scope.ts';
import { type WatchedHosts, watchHosts } from './watchedHosts.ts';

/** A list of rules, compiled for one set of folders. */
export interface CompiledRules {
  readonly rules: RuleList;
  readonly index: RuleIndex;
  /** The rules that apply to the files a command line touches. */
  readonly fileRules: FileRules;
  /** Some rule asks about or denies files, so a command's operands must be evaluated. */
  readonly tightensFiles: boolean;
  /** Some rule asks about or denies commands. */
  readonly tightensCommands: boolean;
  /** The programs that some rule asks about or denies by name. */
  readonly watchedPrograms: ReadonlySet<string>;
  /** The hosts that some rule asks about or denies by name. */
  readonly watchedHosts: WatchedHosts;
}

/**
 * A policy ready for evaluation. `createPolicyCompiler` builds it once for each change of the
 * policy.
 */
export interface CompiledPolicy extends CompiledRules {
  readonly policy: Policy;
  /** Undefined: the agent's capabilities aren't limited. */
  readonly scope: CapabilityScope | undefined;
  readonly roots: Roots;
  /**
   * The parent folders of the roots that aren't links. Every path below a root goes through them.
   */
  readonly plainFolders: LinkCache;
}

export function compileRules(
  rules: readonly Rule[],
  context: CompileContext,
  parse: (rule: Rule) => ParsedRule,
): CompiledRules {
  const compiled = rules.map((rule) => compileRule(parse(rule), context));
  const tight = rules.filter((rule) => rule.action !== 'allow').map((rule) => rule.permission);
  return {
    rules: toRuleList(compiled),
    index: indexRules(compiled),
    fileRules: selectFileRules(compiled),
    tightensFiles: tight.some((permission) => mayMean(permission, 'fs', 'path')),
    tightensCommands: tight.some((permission) => mayMean(permission, 'shell', 'command')),
    watchedPrograms: watchPrograms(compiled.filter(isAboutCommands)),
    watchedHosts: watchHosts(compiled),
  };
}

/**
 * The same policy with a few additional rules, to try their effect on one call. Only the new rules
 * are compiled.
 */
export function withRules<Compiled extends CompiledPolicy>(
  compiled: Compiled,
  rules: readonly Rule[],
): Compiled {
  const { roots, policy } = compiled;
  const context = { roots, platform: policy.platform, cwd: policy.folders.cwd };
  const added = rules.map((rule) => compileRule(parseRule(rule), context));
  const tightens = rules.some(({ action }) => action !== 'allow');
  const files = selectFileRules(added);
  const own = indexRules(added);
  return {
    ...compiled,
    tightensFiles: compiled.tightensFiles || tightens,
    tightensCommands: compiled.tightensCommands || tightens,
    rules: joinLists(compiled.rules, added),
    index: {
      find: (...named) => joinLists(compiled.index.find(...named), own.find(...named).all),
    },
    fileRules: {
      'fs.read': joinLists(compiled.fileRules['fs.read'], files['fs.read'].all),
      'fs.write': joinLists(compiled.fileRules['fs.write'], files['fs.write'].all),
    },
  };
}

function isAboutCommands({ rule }: CompiledRule): boolean {
  return mayMean(rule.permission, 'shell', 'command');
}

/**
 * Whether a permission may refer to tools for this kind of target, or to a capability of this
 * family.
 */
function mayMean(permission: string, family: string, about: 'command' | 'path'): boolean {
  if (permission.includes('*') || permission.startsWith(`${family}.`)) return true;
  return getToolFacts(permission)?.about === about;
}
