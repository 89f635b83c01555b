import type { Diagnostic } from './manifest/diagnostic.ts';
import { goQuote } from './manifest/parseGo.ts';
import type { Manifest } from './parseManifest.ts';

/**
 * Validates many manifests together (spec B-3, decision 48): a Compozy id is unique in the project, trimmed and
 * without case; an imported id is unique among all. The later one is at fault, and names the earlier.
 */
export function validateTogether(manifests: readonly Manifest[]): readonly Manifest[] {
  const compozy = new Map<string, string>();
  const imported = new Map<string, string>();
  return manifests.map((manifest) => {
    const added = [...compozyClashes(manifest, compozy), ...importedClashes(manifest, imported)];
    return added.length === 0
      ? manifest
      : { ...manifest, diagnostics: [...manifest.diagnostics, ...added] };
  });
}

function compozyClashes(manifest: Manifest, seen: Map<string, string>): readonly Diagnostic[] {
  if (manifest.dialect !== 'compozy') return [];
  return manifest.ids.flatMap(({ id, pointer }) => {
    const key = id.trim().toLowerCase();
    const first = seen.get(key);
    if (first === undefined) seen.set(key, manifest.file);
    if (first === undefined) return [];
    return [
      faultAt(manifest, pointer, `DUPLICATE_CONFIG: tool ${goQuote(key)} is also in ${first}`),
    ];
  });
}

function importedClashes(manifest: Manifest, seen: Map<string, string>): readonly Diagnostic[] {
  return manifest.entries.flatMap(({ importedId, pointer, id }) => {
    const here = `${manifest.file} (${goQuote(id)})`;
    const first = seen.get(importedId);
    if (first === undefined) seen.set(importedId, here);
    if (first === undefined) return [];
    // The same Compozy id twice is said once, in that dialect's words.
    if (manifest.dialect === 'compozy' && first.endsWith(`(${goQuote(id)})`)) return [];
    const taken =
      manifest.ids.find((each) => each.pointer.startsWith(`${pointer}/`))?.pointer ?? pointer;
    return [
      faultAt(manifest, taken, `tool id ${goQuote(importedId)} of ${here} is taken by ${first}`),
    ];
  });
}

function faultAt(manifest: Manifest, pointer: string, message: string): Diagnostic {
  const span = manifest.document.at(pointer);
  const position = manifest.document.position(span.offset);
  return { pointer, ...position, ...span, severity: 'error', message };
}
