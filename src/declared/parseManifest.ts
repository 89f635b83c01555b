import { isRecord } from '../base/json.ts';
import type { DialectId } from '../base/tools/dialectFacts.ts';
import { detectDialect, getDialect, type ToolEntry } from './dialects.ts';
import { collectDiagnostics, type Diagnostic, hasError } from './manifest/diagnostic.ts';
import type { ParsedManifest, WrittenId } from './manifest/dialectRow.ts';
import { readDocument, type SourceDocument } from './manifest/parseDocument.ts';
import type { Surroundings } from './manifest/parseSurroundings.ts';

/** A manifest to validate. */
export interface ManifestSource {
  /** Absolute. */
  readonly file: string;
  readonly content: Uint8Array | string;
  /** Undefined: detected from the document and its neighbours (spec decision 40). */
  readonly dialect?: DialectId | undefined;
  /** Found by autoload or by walking a folder, not named. */
  readonly autoloaded?: boolean;
}

/** A validated manifest. If it has an error, none of its tools is loaded. */
export interface Manifest extends ParsedManifest<ToolEntry> {
  readonly file: string;
  readonly dialect: DialectId;
  readonly document: SourceDocument;
  readonly diagnostics: readonly Diagnostic[];
  /** Ids as written, of every entry that has one. */
  readonly ids: readonly WrittenId[];
}

/** Validates one manifest. Reads its neighbours; runs nothing and fetches nothing. */
export function parseManifest(source: ManifestSource, surroundings: Surroundings): Manifest {
  const { file, autoloaded = false } = source;
  const document = readDocument(file, source.content);
  const row =
    source.dialect === undefined
      ? detectDialect({ file, document, surroundings })
      : getDialect(source.dialect);
  const diagnostics = collectDiagnostics(document);
  const base = { file, dialect: row.id, document };
  if (document.parseErrors.length > 0) {
    for (const error of document.parseErrors) {
      const position = { pointer: '', ...document.position(error.offset) };
      const message = row.syntaxError + error.message;
      diagnostics.list.push({ ...position, ...error, severity: 'error', message });
    }
    return { ...base, diagnostics: diagnostics.list, entries: [], covers: [], ids: [] };
  }
  const parsed = row.parse({ file, document, diagnostics, surroundings, autoloaded });
  const ids = isRecord(document.value) ? row.getIds(document.value) : [];
  return { ...base, ...parsed, diagnostics: inOrder(diagnostics.list), ids };
}

function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...diagnostics].sort((a, b) => a.offset - b.offset);
}

export function isAccepted(manifest: Manifest): boolean {
  return !hasError(manifest.diagnostics);
}
