import { findLockedTools } from '../../../base/tools/toolFacts.ts';
import { DEFAULT_RULES } from '../../../permissions/defaults/defaults.ts';
import type { PolicyFolders } from '../../../permissions/patterns/roots.ts';
import type { Policy } from '../../../permissions/rules/policy.ts';
import type { RequirementSet } from '../../../permissions/rules/requirements.ts';
import type { Rule } from '../../../permissions/rules/rule.ts';
import type { HostConfiguration } from '../../config/configuration.ts';
import type { DataFolder } from '../../config/dataFolder.ts';
import type { HostServices } from '../../services/hostServices.ts';
import type { Approval } from './approval.ts';

/** What a session adds to the configuration. */
export interface SessionFacts {
  readonly id: string;
  /** The session's root, fixed (CS-5). */
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly approval: Approval;
  /** The rules of "always" answers in this session. */
  readonly rules: readonly Rule[];
  readonly listOf: ReturnType<typeof createRuleList>;
}

/** Everything the gate judges by, as it is now; read again for each call. */
export function toPolicy(
  session: SessionFacts,
  configuration: HostConfiguration,
  data: DataFolder,
): Policy {
  const capabilities = CAPABILITIES[session.approval];
  return {
    rules: session.listOf(configuration.rules, session.approval, session.rules),
    folders: toFolders(session, configuration, data),
    shell: process.platform === 'win32' ? 'pwsh' : 'bash',
    platform: process.platform,
    headless: false,
    ...(capabilities === undefined ? {} : { capabilities }),
  };
}

type RuleList = readonly Rule[];

/**
 * All layers in one list, and the same list while nothing changed: the compiler compares lists by
 * identity.
 */
export function createRuleList(): (
  configured: RuleList,
  approval: Approval,
  own: RuleList,
) => RuleList {
  let last: { configured: RuleList; approval: Approval; own: RuleList; all: RuleList } | undefined;
  return (configured, approval, own) => {
    if (last?.configured === configured && last.approval === approval && last.own === own) {
      return last.all;
    }
    const all = [...DEFAULT_RULES, ...configured, ...own, ...APPROVAL_RULES[approval]];
    last = { configured, approval, own, all };
    return all;
  };
}

/** What would be judged in a new session over the editor's folders, or over none. */
export function sessionlessPolicy({
  configuration,
  data,
}: Pick<HostServices, 'configuration' | 'data'>): Policy {
  const known = configuration.current(data.scratch);
  const [cwd = data.scratch, ...additionalDirectories] = known.workspace?.roots ?? [];
  return toPolicy(
    {
      id: 'none',
      cwd,
      additionalDirectories,
      approval: 'ask',
      rules: [],
      listOf: createRuleList(),
    },
    known,
    data,
  );
}

/** In VS Code the folders follow the editor; elsewhere they are the session's own (contract §6). */
export function toFolders(
  session: Pick<SessionFacts, 'id' | 'cwd' | 'additionalDirectories'>,
  configuration: HostConfiguration,
  data: DataFolder,
): PolicyFolders {
  const { workspace } = configuration;
  const own = [session.cwd, ...session.additionalDirectories];
  return {
    workspace: workspace?.roots ?? own,
    adHoc: workspace?.adHoc ?? [],
    userData: data.user,
    state: data.state,
    sidecars: data.sidecars(session.id),
    cwd: session.cwd,
  };
}

/** `acceptEdits` is two rules, so that a narrower ask or deny of the user still wins over it. */
const APPROVAL_RULES: Readonly<Record<Approval, readonly Rule[]>> = {
  ask: [],
  readOnly: [],
  acceptEdits: findLockedTools(({ access }) => access === 'fs.write').map((permission, index) => ({
    permission,
    pattern: '{workspace}/**',
    action: 'allow',
    source: 'session',
    origin: { layer: 'session', index },
  })),
};

/** `readOnly` is a capability set: no rule can lift it (C-62). */
const CAPABILITIES: Readonly<Record<Approval, RequirementSet | undefined>> = {
  ask: undefined,
  acceptEdits: undefined,
  readOnly: { fs: { read: ['/**', '{workspace}/**', '{ad-hoc}/**', '{user-data}/**'] } },
};
