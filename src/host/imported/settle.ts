import { getToolFacts } from '../../base/tools/toolFacts.ts';
import { matchesPath } from '../../permissions/patterns/pathPattern.ts';
import type { Roots } from '../../permissions/patterns/roots.ts';
import {
  type CompiledRule,
  compileRule,
  type Ground,
  isEqual,
  isNarrower,
  namesPermission,
  parseRule,
} from '../../permissions/rules/compiledRule.ts';
import { parseRules } from '../../permissions/rules/parseRules.ts';
import type { Action, Rule } from '../../permissions/rules/rule.ts';
import {
  type Entry,
  type EntryGroup,
  type ImportDestination,
  isAction,
  type Product,
  type RuleTarget,
  type SourceFile,
} from './products/entry.ts';

/** A rule to save. */
export interface ImportedRule extends RuleTarget {
  readonly action: Action;
  readonly destination: ImportDestination;
}

/** What became of an entry. */
export interface Settled {
  readonly source: SourceFile;
  readonly written: string;
  readonly action: Action;
  /** Empty if the entry isn't imported. */
  readonly rules: readonly ImportedRule[];
  /** Why the rules say less than the entry, or there are none. */
  readonly reason?: string;
  /** All of its rules are there already. */
  readonly known?: true;
}

/** A rule that is there already, and in which settings. */
export type ExistingRule = ImportedRule;

/** A rule as some settings have it. Those of broken entries are no rules. */
export function toExisting({
  entry: { permission, pattern, action },
  origin: { layer },
}: {
  readonly entry: Partial<Readonly<Record<'permission' | 'pattern' | 'action', unknown>>>;
  readonly origin: { readonly layer: string };
}): readonly ExistingRule[] {
  if (typeof permission !== 'string' || typeof pattern !== 'string' || !isAction(action)) return [];
  const destination = layer === 'user' ? 'user' : 'workspace';
  return isValid({ permission, pattern }, action)
    ? [{ permission, pattern, action, destination }]
    : [];
}

/** The folders that patterns start at. */
export interface ImportFolders {
  readonly workspace: string | undefined;
  readonly home: string;
}

/**
 * Decides which rules of several products are saved. Among Gatehouse's rules a narrower one overrides a wider
 * one; elsewhere a deny may not be overridden at all. So nothing is imported that would override a stricter
 * rule, of the same product, of another, or of the user.
 */
export function settle(
  groups: readonly EntryGroup[],
  existing: readonly ExistingRule[],
  folders: ImportFolders,
): readonly Settled[] {
  const positioned = position(groups);
  const stricter = [...existing.map(toStricter), ...findStricter(positioned)];
  const context = { stricter, existing, overrides: createComparison(folders) };
  return positioned.map((each) => settleEntry(each, context));
}

interface Positioned {
  readonly group: EntryGroup;
  readonly entry: Entry;
  /** The position in the group's list. */
  readonly at: number;
}

/** Something that a looser rule must not override. */
interface Stricter extends RuleTarget {
  readonly action: Action;
  /** As its product writes it. Empty: a rule of the user's. */
  readonly written: string;
  readonly list: string;
  readonly at: number;
  /** The only product that it is about. */
  readonly only?: Product;
  /** No rule says it. */
  readonly unsaid?: true;
  readonly blocksCommand?: (start: string) => boolean;
}

interface Context {
  readonly stricter: readonly Stricter[];
  readonly existing: readonly ExistingRule[];
  readonly overrides: Comparison;
}

/** Whether the looser rule would be taken for narrower than the stricter one, or equal to it. */
type Comparison = (target: RuleTarget, action: Action, stricter: Stricter) => boolean;

function position(groups: readonly EntryGroup[]): readonly Positioned[] {
  const ends = new Map<string, number>();
  return groups.flatMap((group) => {
    const start = ends.get(group.list) ?? 0;
    ends.set(group.list, start + group.entries.length);
    return group.entries.map((entry, at) => ({ group, entry, at: start + at }));
  });
}

function findStricter(positioned: readonly Positioned[]): readonly Stricter[] {
  return positioned.flatMap(({ group: { list, source }, entry, at }) => {
    const { action, targets, blocks = [], written, blocksCommand, unread } = entry;
    const common = { action, written, list, at };
    // What may deny counts for every product, what may ask for its own.
    const own = unread === true || action === 'ask';
    const unsaid = { ...common, unsaid: true, ...(own && { only: source.product }) } as const;
    const starts = blocksCommand && [{ ...unsaid, ...ANY_COMMAND, blocksCommand }];
    const said = targets.map((target) => ({ ...target, ...common }));
    const rest = blocks.map((target) => ({ ...target, ...unsaid }));
    return action === 'allow' ? [] : [...said, ...rest, ...(starts ?? [])];
  });
}

const ANY_COMMAND: RuleTarget = { permission: 'bash', pattern: '*' };

function settleEntry(positioned: Positioned, context: Context): Settled {
  const { source } = positioned.group;
  const { written, action, targets, reason } = positioned.entry;
  const base = { source, written, action, rules: [], ...(reason !== undefined && { reason }) };
  const over = context.stricter.filter((each) => isOver(each, positioned));
  const { destination } = source;
  const left: ImportedRule[] = [];
  for (const target of targets) {
    if (!isValid(target, action)) return { ...base, reason: 'No valid rule says this.' };
    const overridden = over.find((each) => context.overrides(target, action, each));
    if (overridden !== undefined) return { ...base, reason: toReason(overridden) };
    left.push({ ...target, action, destination });
  }
  if (left.length === 0) return base;
  const fresh = left.filter((rule) => !isThere(rule, context));
  if (fresh.length === 0) return { ...base, known: true };
  return { ...base, rules: [...fresh, ...toExceptions(positioned, context)] };
}

/** Whether the stricter one decides where both match. */
function isOver(stricter: Stricter, { group, entry, at }: Positioned): boolean {
  if (!isStricter(stricter.action, entry.action)) return false;
  if (stricter.only !== undefined && stricter.only !== group.source.product) return false;
  // An ask may match more than its entry, so it is no exception from a deny.
  if (entry.action === 'ask' || stricter.list !== group.list) return true;
  return group.decides === 'strictest' || stricter.at > at;
}

/** Where an entry ends, calls ask; or are denied, if the entry is an exception from a deny. */
function toExceptions(
  { group, entry }: Positioned,
  { stricter, existing, overrides }: Context,
): readonly ImportedRule[] {
  const { destination, product } = group.source;
  const { targets, except = [] } = entry;
  const denies = stricter.filter(
    ({ action, only = product }) => action === 'deny' && only === product,
  );
  return except
    .map((target): ImportedRule => {
      const covered = [target, ...targets];
      const isDenied = denies.some((deny) =>
        covered.some((each) => overrides(each, 'allow', deny)),
      );
      return { ...target, action: isDenied ? 'deny' : 'ask', destination };
    })
    .filter((rule) => !isThere(rule, { existing, overrides }));
}

function toReason({ written, action, permission, pattern, unsaid }: Stricter): string {
  const verb = action === 'deny' ? 'denies' : 'asks about';
  if (unsaid) {
    const may = action === 'deny' ? 'deny' : 'ask about';
    return `\`${written}\` may ${may} it, and no rule can say that.`;
  }
  const name = written === '' ? `Your rule \`${permission} ${pattern}\`` : `\`${written}\``;
  return `${name} ${verb} it, and a narrower rule would override that.`;
}

function isStricter(a: Action, b: Action): boolean {
  const order: readonly Action[] = ['allow', 'ask', 'deny'];
  return order.indexOf(a) > order.indexOf(b);
}

function isValid(target: RuleTarget, action: Action): boolean {
  return parseRules([{ ...target, action }]).problems.length === 0;
}

const PLATFORM = 'linux';

/** Patterns are compared as those of the open workspace. */
function createComparison({ workspace = '/workspace', home }: ImportFolders): Comparison {
  const roots: Roots = {
    ...{ workspace: [workspace], adHoc: ['/ad-hoc'], userData: ['/user-data'] },
    ...{ state: undefined, sidecars: undefined, home: [home] },
  };
  const compiled = new Map<string, CompiledRule>();
  const compile = ({ permission, pattern }: RuleTarget, action: Action): CompiledRule => {
    const key = JSON.stringify([permission, pattern, action]);
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const rule: Rule = { permission, pattern, action, source: 'project' };
    const made = compileRule(parseRule(rule), { roots, platform: PLATFORM, cwd: workspace });
    compiled.set(key, made);
    return made;
  };
  return (target, action, stricter) =>
    mayOverride(compile(target, action), compile(stricter, stricter.action), stricter);
}

function mayOverride(
  loose: CompiledRule,
  strict: CompiledRule,
  { blocksCommand }: Stricter,
): boolean {
  const { permission } = loose.rule;
  const { about, capability } = describe(permission);
  if (!namesPermission(strict, permission, capability)) return false;
  if (blocksCommand !== undefined) return blocksCommand(loose.command()?.parts[0] ?? '');
  const ground: Ground = { match: about, platform: PLATFORM };
  if (isNarrower(loose, strict, ground) || isEqual(loose, strict, ground)) return true;
  if (about !== 'path') return false;
  // A literal path is narrower than every pattern that matches it.
  const pattern = strict.path();
  const literals = [...(loose.path()?.literals ?? [])];
  return pattern !== undefined && literals.some((path) => matchesPath(pattern, path, PLATFORM));
}

/** Whether the same rule is there, or one that allows as much. */
function isThere(
  rule: ImportedRule,
  { existing, overrides }: Pick<Context, 'existing' | 'overrides'>,
): boolean {
  return existing.some((each) => {
    if (each.action !== rule.action) return false;
    if (each.destination !== 'user' && each.destination !== rule.destination) return false;
    if (each.permission === rule.permission && each.pattern === rule.pattern) return true;
    return rule.action === 'allow' && overrides(rule, 'allow', toStricter(each));
  });
}

function toStricter({ permission, pattern, action }: ExistingRule): Stricter {
  return { permission, pattern, action, written: '', list: '', at: 0 };
}

function describe(permission: string): {
  readonly about: Ground['match'];
  readonly capability: string | undefined;
} {
  if (permission === 'fs.read' || permission === 'fs.write') {
    return { about: 'path', capability: permission };
  }
  if (permission === 'net.fetch') return { about: 'host', capability: permission };
  const facts = getToolFacts(permission);
  if (facts === undefined) return { about: 'text', capability: undefined };
  const { about, access, capability } = facts;
  if (about === 'command') return { about, capability: 'shell.run' };
  return { about, capability: about === 'host' ? 'net.fetch' : (access ?? capability) };
}
