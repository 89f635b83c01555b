import path from 'node:path';
import type { ConfigurationSnapshot } from '../../acp/gatehouse/configure.ts';
import type { Sources } from './configuration.ts';

/** Converts a client's snapshot to the sources of a configuration. */
export function toSources({
  settings,
  rules,
  files,
  workspace,
  editor,
}: ConfigurationSnapshot): Sources {
  return {
    raw: settings,
    rules: rules.map(({ origin, ...entry }) => ({ entry, origin })),
    workspace,
    editors: files.flatMap(({ layer, path: file }) =>
      layer === 'user' ? [path.dirname(file)] : [],
    ),
    ...editor,
  };
}
