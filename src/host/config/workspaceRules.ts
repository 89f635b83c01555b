import path from 'node:path';
import type { StoredRule } from '../../permissions/rules/policy.ts';
import type { Acceptances } from './acceptance.ts';
import type { HostConfiguration } from './configuration.ts';
import type { ConfigurationStore } from './configurationStore.ts';

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
