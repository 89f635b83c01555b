import { RequestError } from '@agentclientprotocol/sdk';
import type { ImportPreview, ImportQuery } from '../../acp/gatehouse/rules.ts';
import { ruleHash } from '../config/acceptance.ts';
import type { HostConfiguration } from '../config/configuration.ts';
import { importRules } from './importRules.ts';
import { toExisting } from './settle.ts';
import { findLocations } from './sourceFiles.ts';

export interface PreviewParts {
  readonly env: NodeJS.ProcessEnv;
  readonly configuration: Pick<HostConfiguration, 'rules' | 'waiting' | 'workspace'>;
  /** Whether files of the workspace may be read. */
  readonly trusted: boolean;
}

/** What an import would do. Nothing is written. Throws if the folder is none of the open ones. */
export function previewImport(
  { env, configuration, trusted }: PreviewParts,
  { folder, userSettings }: ImportQuery,
): ImportPreview {
  const { rules, waiting, workspace } = configuration;
  if (folder !== undefined && workspace?.roots.includes(folder) === false) {
    throw RequestError.invalidParams({ folder }, 'folder: Must be an open folder.');
  }
  const locations = {
    ...findLocations(env, trusted ? folder : undefined),
    ...(userSettings !== undefined && { userSettings }),
  };
  // Rules that wait for the user count too: an import must not override them once they are accepted.
  const existing = [...rules, ...waiting].flatMap((rule) =>
    rule.origin === undefined ? [] : toExisting({ entry: { ...rule }, origin: rule.origin }),
  );
  const found = importRules(locations, existing);
  return {
    ...found,
    rules: found.rules.map((rule) => ({ ...rule, hash: ruleHash(rule) })),
    ...(folder !== undefined && !trusted && { untrusted: true }),
  };
}
