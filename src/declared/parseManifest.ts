import type { FileRead } from '../base/disk/readRegular.ts';
import { isRecord } from '../base/json.ts';
import { sha256 } from '../base/text/sha256.ts';
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
  /** The workspace folder, absolute. */
  readonly root: string;
}

/** A validated manifest. If it has an error, none of its tools is loaded. */
export interface Manifest extends ParsedManifest<ToolEntry> {
  readonly file: string;
  readonly dialect: DialectId;
  readonly document: SourceDocument;
  readonly diagnostics: readonly Diagnostic[];
  /** Ids as written, of every entry that has one. */
  readonly ids: readonly WrittenId[];
  /** SHA-256 in hex of each file that it was parsed from, itself included, by absolute path. */
  readonly readAs: ReadonlyMap<string, string>;
}

/** The most arguments of all commands in one manifest: each may name a file, and is looked up before every call. */
const COMMAND_WORDS = 10_000;

/** Validates one manifest. Reads its neighbours; runs nothing and fetches nothing. */
export function parseManifest(source: ManifestSource, surroundings: Surroundings): Manifest {
  const { file, root, autoloaded = false } = source;
  const document = readDocument(file, source.content);
  const row =
    source.dialect === undefined
      ? detectDialect({ file, document, surroundings })
      : getDialect(source.dialect);
  const diagnostics = collectDiagnostics(document);
  const own = [file, toHash(source.content)] as const;
  const base = { file, dialect: row.id, document, readAs: new Map([own]) };
  if (document.parseErrors.length > 0) {
    for (const error of document.parseErrors) {
      diagnostics.syntaxError({ ...error, message: row.syntaxError + error.message });
    }
    const nothing = { entries: [], covers: [], commands: [], modules: [], schemas: [], ids: [] };
    return { ...base, diagnostics: diagnostics.finish(), ...nothing };
  }
  const recorded = recordReads(surroundings);
  const parsed = row.parse({
    ...{ file, document, diagnostics, autoloaded, root },
    surroundings: recorded.surroundings,
  });
  const words = parsed.commands.reduce((sum, { args }) => sum + args.length, 0);
  if (words > COMMAND_WORDS) {
    const message = `${row.syntaxError}the commands have more than ${COMMAND_WORDS} words`;
    diagnostics.error('/tools', message);
  }
  const covers = [...new Set([...parsed.covers, ...recorded.files])];
  const ids = isRecord(document.value) ? row.getIds(document.value) : [];
  const readAs = new Map([...recorded.hash(), own]);
  const found = sortDiagnostics(diagnostics.finish());
  return { ...base, ...parsed, covers, diagnostics: found, ids, readAs };
}

function toHash(content: Uint8Array | string): string {
  return sha256(content, 'hex');
}

/**
 * Whatever the parser read decides what the tools do, so an acceptance covers it. Each file is read, and
 * each program looked up, once, however many tools refer to it.
 */
function recordReads(surroundings: Surroundings) {
  const files = new Set<string>();
  const known = new Map<string, FileRead>();
  const programs = new Map<string, ReturnType<Surroundings['program']>>();
  const read: Surroundings['read'] = (file) => {
    const found = known.get(file) ?? surroundings.read(file);
    known.set(file, found);
    // The repository's own files are read only to find its root.
    if (found.state !== 'absent' && !/[\\/]\.git(?:[\\/]HEAD)?$/.test(file)) files.add(file);
    return found;
  };
  const program: Surroundings['program'] = (file) => {
    const found = programs.get(file) ?? surroundings.program(file);
    programs.set(file, found);
    return found;
  };
  const hash = () =>
    [...files].flatMap((file) => {
      const found = known.get(file);
      return found?.state === 'read' ? [[file, toHash(found.bytes)] as const] : [];
    });
  return { files, hash, surroundings: { ...surroundings, read, program } };
}

/** In the order of the document. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...diagnostics].sort((a, b) => a.offset - b.offset);
}

export function isAccepted(manifest: Manifest): boolean {
  return !hasError(manifest.diagnostics);
}
