import type { AgentDefinition } from '../../../agentDefinitions/definition.ts';
import { FILE_CHANGERS } from '../../../base/tools/toolFacts.ts';
import { COPY_RULES } from '../../../permissions/defaults/copyRules.ts';
import { DEFAULT_RULES } from '../../../permissions/defaults/defaults.ts';
import type { PolicyFolders } from '../../../permissions/patterns/roots.ts';
import type { Policy } from '../../../permissions/rules/policy.ts';
import type { CapabilitySet } from '../../../permissions/rules/requirements.ts';
import type { Rule } from '../../../permissions/rules/rule.ts';
import { createReadGit } from '../../../runtime/commands/readGit.ts';
import type { HostConfiguration } from '../../config/configuration.ts';
import type { DataFolder } from '../../config/dataFolder.ts';
import { createGitGuard } from '../copy/findNamedByGit.ts';
import type { Approval } from './approval.ts';
import type { RequiringTool } from './capabilities.ts';
import { findRenames, type Renames, renameRules } from './renames.ts';

/** The session's part of its policy; the configuration is the rest. */
export interface SessionFacts {
  readonly id: string;
  /** The session's root; it never changes (spec CS-5). */
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly definition: AgentDefinition;
  /** Of a subagent: the rules of its whole chain. Default: those of the definition. */
  readonly manifest?: readonly Rule[];
  readonly capabilities: CapabilitySet;
  /** The rules for its scratch folder; none while a folder is open. */
  readonly scratchRules: readonly Rule[];
  /** Whether a user can answer; otherwise an ask becomes a deny (spec C-56). */
  readonly canAsk: boolean;
  readonly approval: Approval;
  /** The rules stored by "always" answers in this session. */
  readonly rules: readonly Rule[];
  readonly listRules: ReturnType<typeof createRuleList>;
  readonly isStoredFor?: Policy['isStoredFor'];
  /** The tools that the policy is for. */
  readonly tools: readonly RequiringTool[];
}

/** Everything a decision depends on, computed anew for each call. */
export function toPolicy(
  session: SessionFacts,
  configuration: HostConfiguration,
  data: DataFolder,
): Policy {
  const { capabilities, isStoredFor } = session;
  const folders = toFolders(session, configuration, data);
  return {
    rules: session.listRules({
      configured: configuration.rules,
      manifest: session.manifest ?? session.definition.permissions,
      scratch: session.scratchRules,
      own: session.rules,
      approval: session.approval,
      copies: configuration.settings.runsInCopy || session.approval === 'autopilot',
      renames: JSON.stringify([...findRenames(session.tools)]),
    }),
    folders,
    shell: process.platform === 'win32' ? 'pwsh' : 'bash',
    platform: process.platform,
    headless: !session.canAsk,
    lookMs: configuration.settings.limits.lookMs,
    readGit: createReadGit(folders.workspace),
    isNamedByGit: createGitGuard(folders.workspace),
    capabilities,
    ...(isStoredFor && { isStoredFor }),
  };
}

type RuleList = readonly Rule[];

/** The sources of a session's rules, besides the shipped ones. */
interface RuleSources {
  readonly configured: RuleList;
  /** The rules of the agent definition. */
  readonly manifest: RuleList;
  /** The rules for the session's scratch folder. */
  readonly scratch: RuleList;
  /** The rules stored by "always" answers in this session. */
  readonly own: RuleList;
  readonly approval: Approval;
  /** Commands may run in a copy of the workspace. */
  readonly copies: boolean;
  /** As JSON, which is equal for equal tools. */
  readonly renames: string;
}

/**
 * All layers in one list. The list keeps its identity while nothing changes, because the compiler
 * compares lists by identity.
 */
export function createRuleList(): (sources: RuleSources) => RuleList {
  let last: { readonly sources: RuleSources; readonly all: RuleList } | undefined;
  return (sources) => {
    if (last === undefined || !isSame(last.sources, sources)) {
      last = { sources, all: joinRules(sources) };
    }
    return last.all;
  };
}

function isSame(a: RuleSources, b: RuleSources): boolean {
  return (
    a.configured === b.configured &&
    a.manifest === b.manifest &&
    a.scratch === b.scratch &&
    a.own === b.own &&
    a.approval === b.approval &&
    a.copies === b.copies &&
    a.renames === b.renames
  );
}

function joinRules(sources: RuleSources): RuleList {
  const { configured, manifest, scratch, own, approval, copies } = sources;
  const renames: Renames = new Map(JSON.parse(sources.renames));
  const shipped = [...DEFAULT_RULES, ...(copies ? COPY_RULES : []), ...scratch];
  const stored = renameRules([...manifest, ...configured, ...own], renames);
  return [...shipped, ...stored, ...APPROVAL_RULES[approval]];
}

/** In VS Code the folders follow the editor; in other clients they are the session's own. */
export function toFolders(
  session: Pick<SessionFacts, 'id' | 'cwd' | 'additionalDirectories' | 'definition'>,
  configuration: HostConfiguration,
  data: DataFolder,
): PolicyFolders {
  const { workspace } = configuration;
  const own = [session.cwd, ...session.additionalDirectories];
  return {
    workspace: [...(workspace?.roots ?? own), ...session.definition.roots],
    adHoc: workspace?.adHoc ?? [],
    userData: data.user,
    state: data.state,
    sidecars: data.sidecars(session.id),
    settings: data.settings,
    editors: configuration.editors,
    cwd: session.cwd,
  };
}

/** A mode only changes what no rule of the user's decides, so that an ask or deny of theirs wins. */
const EDITS: readonly Rule[] = FILE_CHANGERS.map((permission, index) => ({
  permission,
  pattern: '{workspace}/**',
  action: 'allow',
  source: 'session',
  origin: { layer: 'session', index },
  fallback: true,
}));

const APPROVAL_RULES: Readonly<Record<Approval, readonly Rule[]>> = {
  ask: [],
  readOnly: [],
  acceptEdits: EDITS,
  autopilot: EDITS,
};

/** The policy that the session would have if its commands ran in a copy: the user's own rules win. */
export function withCopyRules(policy: Policy): Policy {
  return { ...policy, rules: [...COPY_RULES, ...policy.rules] };
}
