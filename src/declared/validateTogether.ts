import { isHostTool } from '../base/tools/toolFacts.ts';
import { getDialect } from './dialects.ts';
import { collectDiagnostics, type Diagnostics } from './manifest/diagnostic.ts';
import { goQuote } from './manifest/parseGo.ts';
import type { Manifest } from './parseManifest.ts';

/**
 * Adds the diagnostics of ids that several manifests use (spec B-3, decision 48): some dialects require
 * ids that are unique in a project, and an imported id is unique among all and no id of the host. The later
 * manifest gets the error, which names the earlier.
 */
export function validateTogether(manifests: readonly Manifest[]): readonly Manifest[] {
  const own = new Map<string, string>();
  const imported = new Map<string, FirstUse>();
  return manifests.map((manifest) => {
    const diagnostics = collectDiagnostics(manifest.document);
    addOwnClashes(manifest, own, diagnostics);
    addImportedClashes(manifest, imported, diagnostics);
    const added = diagnostics.finish();
    return added.length === 0
      ? manifest
      : { ...manifest, diagnostics: [...manifest.diagnostics, ...added] };
  });
}

function addOwnClashes(
  { dialect, file, ids, uniqueIn }: Manifest,
  seen: Map<string, string>,
  diagnostics: Diagnostics,
): void {
  const { unique } = getDialect(dialect);
  if (unique === undefined) return;
  for (const { id, pointer } of ids) {
    const key = unique.toKey(id);
    const scoped = JSON.stringify([dialect, uniqueIn, key]);
    const first = seen.get(scoped);
    if (first === undefined) seen.set(scoped, file);
    else diagnostics.error(pointer, unique.describe(key, first));
  }
}

function addImportedClashes(
  { dialect, file, entries, ids, uniqueIn }: Manifest,
  seen: Map<string, FirstUse>,
  diagnostics: Diagnostics,
): void {
  const { unique } = getDialect(dialect);
  const written = new Map(ids.map(({ pointer }) => [toParent(pointer), pointer] as const));
  for (const { importedId, pointer, id } of entries) {
    const here = `${file} (${goQuote(id)})`;
    const at = written.get(pointer) ?? pointer;
    if (isHostTool(importedId)) {
      const message = `tool id ${goQuote(importedId)} of ${here} is reserved for a built-in tool`;
      diagnostics.error(at, message);
      continue;
    }
    const first = seen.get(importedId);
    if (first === undefined) {
      seen.set(importedId, { here, id, uniqueIn });
      continue;
    }
    // Where the dialect itself requires unique ids, its own diagnostic already reports the clash.
    if (unique !== undefined && first.id === id && first.uniqueIn === uniqueIn) continue;
    const message = `tool id ${goQuote(importedId)} of ${here} is taken by ${first.here}`;
    diagnostics.error(at, message);
  }
}

/** The pointer of the object that holds the value. */
function toParent(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf('/'));
}

interface FirstUse {
  readonly here: string;
  readonly id: string;
  readonly uniqueIn: string | undefined;
}
