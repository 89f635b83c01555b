import path from 'node:path';
import type { StoredRule } from '../../permissions/rules/policy.ts';
import { type Acceptances, ruleHash } from './acceptance.ts';
import { type HostConfiguration, toConfiguration } from './configuration.ts';
import type { ConfigurationStore } from './configurationStore.ts';
import { userSettingsFile } from './dataFolder.ts';
import { readSettingsFiles } from './settingsFiles.ts';

/** The allow rules of a workspace's settings file in the order of the file, and whether each has effect. */
export function listAllowRules(
  { rules, problems }: Pick<HostConfiguration, 'rules' | 'problems'>,
  file: string,
): readonly { readonly rule: StoredRule; readonly accepted: boolean }[] {
  const found = [
    ...rules.flatMap((rule) =>
      rule.action === 'allow' ? [{ rule, origin: rule.origin, accepted: true }] : [],
    ),
    ...problems.flatMap(({ waiting, origin }) =>
      waiting === undefined ? [] : [{ rule: waiting.rule, origin, accepted: false }],
    ),
  ];
  return found
    .filter(({ origin }) => origin?.file === file && origin.layer !== 'user')
    .sort((a, b) => (a.origin?.index ?? 0) - (b.origin?.index ?? 0));
}

/** Whether the path is that of a workspace's settings file, whose rules can be accepted. */
export function isSettingsFile(file: string): boolean {
  return file.endsWith(path.join(path.sep, '.vscode', 'settings.json'));
}

/**
 * Accepts the allow rules of a workspace's settings file as they are now, each by its hash as the editor
 * does, or revokes them. Its other settings stay as they are. Returns these rules.
 */
export function acceptRules(
  file: string,
  accepted: boolean,
  { acceptances, env }: { readonly acceptances: Acceptances; readonly env: NodeJS.ProcessEnv },
): readonly StoredRule[] {
  const read = () => {
    const folder = path.dirname(path.dirname(file));
    const sources = readSettingsFiles(userSettingsFile(env), folder);
    return listAllowRules(toConfiguration(sources, acceptances, env), file);
  };
  const rules = read().map(({ rule }) => rule);
  for (const rule of rules) acceptances.accept(file, ruleHash(rule), accepted);
  const kept = read().flatMap((each) => (each.accepted ? [each.rule] : []));
  if (rules.length > 0) acceptances.keepRules(file, kept);
  return rules;
}

/** Keeps what is accepted of a file's rules now, after an acceptance changed. Other files have none. */
export function keepAccepted(
  configuration: Pick<ConfigurationStore, 'current'>,
  acceptances: Acceptances,
  file: string,
): void {
  // Without a client's snapshot, the settings are those of the folder above `.vscode`.
  const all = listAllowRules(configuration.current(path.dirname(path.dirname(file))), file);
  if (all.length === 0 && acceptances.keptRules(file).length === 0) return;
  acceptances.keepRules(
    file,
    all.flatMap(({ rule, accepted }) => (accepted ? [rule] : [])),
  );
}
