import { parseRules } from '../../permissions/rules/parseRules.ts';
import type { StoredRule } from '../../permissions/rules/policy.ts';
import type { Rule, RuleOrigin } from '../../permissions/rules/rule.ts';
import { type Acceptances, ruleHash } from './acceptance.ts';
import { parseSettings, type RawSettings, type Settings } from './settings.ts';
import type { SettingsFault } from './settingsFault.ts';

/** The configuration in effect. */
export interface HostConfiguration {
  readonly settings: Settings;
  readonly rules: readonly Rule[];
  /** Allow rules of the workspace that have no effect until the user accepts them. */
  readonly waiting: readonly Rule[];
  /** Absent when no client sent a snapshot: the session's own folders are the workspace. */
  readonly workspace?: WorkspaceFacts;
  readonly rgPath?: string;
  /** Folders with the user's settings of the editor; see `PolicyFolders`. */
  readonly editors: readonly string[];
  readonly problems: readonly ConfigurationProblem[];
}

/**
 * Whether files of the workspace may be read. A client that sends its settings says so with them, and
 * until then the answer is no; there is no such answer outside VS Code.
 */
export function isTrusted(
  { workspace }: Pick<HostConfiguration, 'workspace'>,
  expectsSnapshot: boolean,
): boolean {
  return workspace?.trusted ?? !expectsSnapshot;
}

export interface WorkspaceFacts {
  readonly roots: readonly string[];
  readonly adHoc: readonly string[];
  readonly trusted: boolean;
}

export interface ConfigurationProblem {
  readonly origin?: RuleOrigin;
  readonly message: string;
  /** Set if a settings file can't be read completely: the line of the error, or 0 if there is none. */
  readonly damagedLine?: number;
  /** The rule has no effect until this hash of it is accepted for its file. */
  readonly waiting?: { readonly rule: StoredRule; readonly hash: string };
}

/** A rule as written in a settings file. Its fields are not validated. */
export interface WrittenRule {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly origin: RuleOrigin;
  /** The entry stands for the rules that can't be read because of this. */
  readonly fault?: SettingsFault;
}

export interface Sources {
  readonly raw: RawSettings;
  readonly rules: readonly WrittenRule[];
  readonly workspace?: WorkspaceFacts;
  readonly rgPath?: string;
  readonly editors?: readonly string[];
}

/** Puts the layers together. Order never overrides: `decide` gets every rule. */
export function toConfiguration(
  sources: Sources,
  acceptances: RuleAcceptances,
  env: NodeJS.ProcessEnv,
): HostConfiguration {
  const { settings, problems } = parseSettings(sources.raw, env);
  const evaluated = sources.rules.map((written) => toRule(written, acceptances));
  const { workspace, rgPath } = sources;
  return {
    settings,
    editors: sources.editors ?? [],
    rules: evaluated.flatMap(({ rule }) => rule ?? []),
    waiting: evaluated.flatMap(({ waiting }) => waiting ?? []),
    problems: [
      ...problems.map(({ setting, message }) => ({ message: `${setting}: ${message}` })),
      ...evaluated.flatMap((each) => each.problems),
    ],
    ...(workspace === undefined ? {} : { workspace }),
    ...(rgPath === undefined ? {} : { rgPath }),
  };
}

type RuleAcceptances = Pick<Acceptances, 'has'>;

interface EvaluatedRule {
  readonly rule?: Rule;
  readonly waiting?: Rule;
  readonly problems: readonly ConfigurationProblem[];
}

function toRule(written: WrittenRule, acceptances: RuleAcceptances): EvaluatedRule {
  const { entry, origin, fault } = written;
  if (fault !== undefined) return toHidden(fault, origin);
  // A file cannot set its own scope: rules of users and repositories count as project rules.
  const { source: _, origin: __, ...fields } = entry;
  const { layer, file, folder } = origin;
  // An entry without any field was none in the file, or no object.
  const fieldsOrNone = Object.keys(fields).length === 0 ? undefined : fields;
  const parsed = parseRules([fieldsOrNone], 'project', {
    layer,
    ...(file === undefined ? {} : { file }),
    ...(folder === undefined ? {} : { folder }),
  });
  const [read] = parsed.rules;
  const problems = parsed.problems.map(({ message }) => ({ origin, message }));
  if (read === undefined) return { problems };
  const rule: Rule = { ...read, origin };
  if (!waitsForAcceptance(rule, acceptances)) return { rule, problems };
  const message = 'This allow rule comes from the workspace and has no effect until you accept it.';
  const { permission, pattern, action } = rule;
  const waiting = { rule: { permission, pattern, action }, hash: ruleHash(rule) };
  return { waiting: rule, problems: [...problems, { origin, message, waiting }] };
}

/** Stands for the rules that a damaged file may hide: a rule that can't be read. */
function toHidden({ why, line = 0 }: SettingsFault, origin: RuleOrigin): EvaluatedRule {
  const [read] = parseRules([undefined], 'project').rules;
  const message = `${why} Rules in this file may be missing. Until it is fixed, calls that a rule would allow ask, and the last rules that were read still ask and deny.`;
  return {
    ...(read !== undefined && { rule: { ...read, origin } }),
    problems: [{ origin, message, damagedLine: line }],
  };
}

/** A repository can only tighten until the user accepts its allow rules (spec decision 8). */
function waitsForAcceptance(rule: Rule, acceptances: RuleAcceptances): boolean {
  const { layer, file } = rule.origin ?? {};
  if (rule.action !== 'allow' || (layer !== 'workspace' && layer !== 'folder')) return false;
  return file === undefined || !acceptances.has(file, ruleHash(rule));
}
