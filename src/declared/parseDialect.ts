import path from 'node:path';
import type { SourceDocument } from './manifest/parseDocument.ts';
import type { Dialect } from './manifest/parseEntries.ts';
import type { Surroundings } from './manifest/parseSurroundings.ts';

/**
 * Decision 40: `version`, any `transport`, or `manifest.toml` / `policy.caps` beside mean Runloop; YAML
 * or `resource` mean Compozy; everything else is agentcli.
 */
export function detectDialect(
  file: string,
  document: SourceDocument,
  surroundings: Surroundings,
): Dialect {
  if (document.notation === 'yaml') return 'compozy';
  const folder = path.dirname(file);
  if (document.rootKeys.includes('version') || document.mentionsTransport) return 'runloop';
  const beside = ['manifest.toml', 'policy.caps'].map((name) => path.join(folder, name));
  if (beside.some((each) => surroundings.read(each) !== undefined)) return 'runloop';
  return document.rootKeys.includes('resource') ? 'compozy' : 'agentcli';
}
