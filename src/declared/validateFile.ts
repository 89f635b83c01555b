import { readFileSync, statSync } from 'node:fs';
import { getMessage } from '../base/faults.ts';
import type { DialectId } from '../base/tools/dialectFacts.ts';
import { FALLBACK_DIALECT, getDialect } from './dialects.ts';
import { collectDiagnostics } from './manifest/diagnostic.ts';
import type { FoundManifest } from './manifest/dialectRow.ts';
import { MANIFEST_BYTES, readDocument } from './manifest/parseDocument.ts';
import type { Surroundings } from './manifest/parseSurroundings.ts';
import { type Manifest, parseManifest } from './parseManifest.ts';

/** Reads and validates one file. A file that cannot be read is a diagnostic, not an exception. */
export function validateFile(
  found: FoundManifest,
  surroundings: Surroundings,
  dialect?: DialectId | undefined,
): Manifest {
  const { file, autoloaded, refused } = found;
  if (refused !== undefined) return toRefused(file, refused.dialect, refused.message);
  try {
    const { size } = statSync(file);
    // The parser reports that the file is too long, so its content is not needed.
    const content = size > MANIFEST_BYTES ? new Uint8Array(MANIFEST_BYTES + 1) : readFileSync(file);
    return parseManifest({ file, content, dialect, autoloaded }, surroundings);
  } catch (error) {
    const message = `read manifest: ${getMessage(error)}`;
    return toRefused(file, dialect ?? FALLBACK_DIALECT.id, message);
  }
}

function toRefused(file: string, dialect: DialectId, message: string): Manifest {
  const document = readDocument(file, getDialect(dialect).emptyText);
  const diagnostics = collectDiagnostics(document);
  diagnostics.error('', message);
  const nothing = { entries: [], covers: [], ids: [] };
  return { file, dialect, document, diagnostics: diagnostics.list, ...nothing };
}
