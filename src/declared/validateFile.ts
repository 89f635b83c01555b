import { readFileSync, statSync } from 'node:fs';
import { getMessage } from '../base/faults.ts';
import { getDialect } from './dialects.ts';
import type { FoundManifest } from './findManifests.ts';
import { collectDiagnostics } from './manifest/diagnostic.ts';
import { MANIFEST_BYTES, readDocument } from './manifest/parseDocument.ts';
import type { Surroundings } from './manifest/parseSurroundings.ts';
import { type Manifest, parseManifest } from './parseManifest.ts';
import type { Dialect } from './toolEntry.ts';

/** Reads and validates one file. A file that cannot be read is a diagnostic, not an exception. */
export function validateFile(
  found: FoundManifest,
  surroundings: Surroundings,
  dialect?: Dialect | undefined,
): Manifest {
  const { file, autoloaded, escapes } = found;
  if (escapes !== undefined) {
    return refused(
      file,
      'compozy',
      `PATH_ESCAPE_ATTEMPT: ${file} leads out of the project, to ${escapes}`,
    );
  }
  try {
    const { size } = statSync(file);
    // The parser says that it is too long; the bytes need not be in memory for that.
    const content = size > MANIFEST_BYTES ? new Uint8Array(MANIFEST_BYTES + 1) : readFileSync(file);
    return parseManifest({ file, content, dialect, autoloaded }, surroundings);
  } catch (error) {
    const reason = getMessage(error);
    return refused(file, dialect ?? 'agentcli', `read manifest: ${reason}`);
  }
}

function refused(file: string, dialect: Dialect, message: string): Manifest {
  const document = readDocument(file, getDialect(dialect).emptyText);
  const diagnostics = collectDiagnostics(document);
  diagnostics.error('', message);
  return { file, dialect, document, diagnostics: diagnostics.list, entries: [], ids: [] };
}
