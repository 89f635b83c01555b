import { readRegular } from '../base/disk/readRegular.ts';
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
  const { file, root, autoloaded, refused } = found;
  if (refused !== undefined) return toRefused(file, refused.dialect, refused.message);
  const read = readRegular(file, MANIFEST_BYTES);
  if (read.state === 'read') {
    return parseManifest({ file, content: read.bytes, dialect, autoloaded, root }, surroundings);
  }
  const why = read.state === 'absent' ? 'no such file' : read.why;
  return toRefused(file, dialect ?? FALLBACK_DIALECT.id, `read manifest: ${why}`);
}

function toRefused(file: string, dialect: DialectId, message: string): Manifest {
  const document = readDocument(file, getDialect(dialect).emptyText);
  const diagnostics = collectDiagnostics(document);
  diagnostics.error('', message);
  const nothing = { entries: [], covers: [], commands: [], modules: [], schemas: [], ids: [] };
  const found = diagnostics.finish();
  return { file, dialect, document, diagnostics: found, readAs: new Map(), ...nothing };
}
