import { getDialect } from './dialects.ts';
import type { Diagnostic } from './manifest/diagnostic.ts';
import { goQuote } from './manifest/parseGo.ts';
import type { Manifest } from './parseManifest.ts';

/**
 * Adds the diagnostics of ids that several manifests use (spec B-3, decision 48): some dialects require
 * unique ids, and an imported id is unique among all. The later manifest gets the error, which names the earlier.
 */
export function validateTogether(manifests: readonly Manifest[]): readonly Manifest[] {
  const own = new Map<string, string>();
  const imported = new Map<string, string>();
  return manifests.map((manifest) => {
    const added = [...findOwnClashes(manifest, own), ...findImportedClashes(manifest, imported)];
    return added.length === 0
      ? manifest
      : { ...manifest, diagnostics: [...manifest.diagnostics, ...added] };
  });
}

function findOwnClashes(manifest: Manifest, seen: Map<string, string>): readonly Diagnostic[] {
  const { dialect, file, ids } = manifest;
  const { unique } = getDialect(dialect);
  if (unique === undefined) return [];
  return ids.flatMap(({ id, pointer }) => {
    const key = unique.toKey(id);
    const first = seen.get(`${dialect} ${key}`);
    if (first !== undefined) return [toError(manifest, pointer, unique.describe(key, first))];
    seen.set(`${dialect} ${key}`, file);
    return [];
  });
}

function findImportedClashes(manifest: Manifest, seen: Map<string, string>): readonly Diagnostic[] {
  const { unique } = getDialect(manifest.dialect);
  return manifest.entries.flatMap(({ importedId, pointer, id }) => {
    const here = `${manifest.file} (${goQuote(id)})`;
    const first = seen.get(importedId);
    if (first === undefined) seen.set(importedId, here);
    if (first === undefined) return [];
    // Where the dialect itself requires unique ids, its own diagnostic already reports the clash.
    if (unique !== undefined && first.endsWith(`(${goQuote(id)})`)) return [];
    const written = manifest.ids.find((each) => each.pointer.startsWith(`${pointer}/`));
    const message = `tool id ${goQuote(importedId)} of ${here} is taken by ${first}`;
    return [toError(manifest, written?.pointer ?? pointer, message)];
  });
}

function toError({ document }: Manifest, pointer: string, message: string): Diagnostic {
  const span = document.at(pointer);
  return { pointer, ...document.position(span.offset), ...span, severity: 'error', message };
}
