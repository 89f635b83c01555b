import { type CodeAction, CodeActionKind, type TextEdit } from 'vscode-languageserver/node';
import { isRecord, valueAt } from '../base/json.ts';
import type { Diagnostic, Fix } from '../declared/manifest/diagnostic.ts';
import { getField, pointerTo, toSegments } from '../declared/manifest/parsePointer.ts';
import type { Manifest } from '../declared/parseManifest.ts';
import { pointerAt } from './cursor.ts';
import { type TextRange, toRange } from './textRange.ts';

/** Edits to one file, given by its absolute path. */
export interface FileEdits {
  readonly file: string;
  readonly edits: readonly TextEdit[];
}

/** A quick fix for a diagnostic, or for a schema that allows any property. */
export interface QuickFix {
  readonly title: string;
  readonly kind: NonNullable<CodeAction['kind']>;
  readonly diagnostic?: Diagnostic;
  readonly change: FileEdits;
}

/** Opens another file as a document, for fixes that edit a neighboring file. */
export type ReadNeighbor = (file: string) => Manifest['document'] | undefined;

/** The quick fixes of diagnostics that touch a range, and the refactorings available there. */
export function fixesAt(
  manifest: Manifest,
  { start, end }: { readonly start: number; readonly end: number },
  readNeighbor: ReadNeighbor,
): readonly QuickFix[] {
  const fixes = manifest.diagnostics.flatMap((diagnostic): QuickFix[] => {
    const touches = diagnostic.offset <= end && start <= diagnostic.offset + diagnostic.length;
    const change =
      touches && diagnostic.fix ? toChange(manifest, diagnostic.fix, readNeighbor) : undefined;
    if (change === undefined || diagnostic.fix === undefined) return [];
    return [{ title: diagnostic.fix.title, kind: CodeActionKind.QuickFix, diagnostic, change }];
  });
  const closing = closeObject(manifest, start);
  return closing === undefined ? fixes : [...fixes, closing];
}

function toChange(manifest: Manifest, fix: Fix, readNeighbor: ReadNeighbor): FileEdits | undefined {
  const document = fix.file === undefined ? manifest.document : readNeighbor(fix.file);
  if (document === undefined) return undefined;
  const edits = fix.edits.map(({ text, ...span }) => ({
    range: toRange(document, span),
    newText: text,
  }));
  return { file: fix.file ?? manifest.file, edits };
}

/** Adds `additionalProperties: false` to the object schema around the cursor. */
function closeObject({ document, file }: Manifest, offset: number): QuickFix | undefined {
  if (document.value === undefined) return undefined;
  for (let at = pointerAt(document, offset); at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const schema = valueAt(document.value, toSegments(at));
    if (!isRecord(schema) || !isRecord(getField(schema, 'properties'))) continue;
    if (getField(schema, 'additionalProperties') !== undefined) return undefined;
    const properties = document.keyAt(pointerTo(at, 'properties'));
    const start = toRange(document, { offset: properties.offset, length: 0 });
    const text =
      document.notation === 'json'
        ? '"additionalProperties": false,'
        : 'additionalProperties: false';
    const margin = ' '.repeat(start.start.character);
    const isOwnLine = /^\s*$/.test(
      document.text.slice(
        document.text.lastIndexOf('\n', properties.offset - 1) + 1,
        properties.offset,
      ),
    );
    const newText = isOwnLine ? `${text}\n${margin}` : `${text} `;
    if (document.notation === 'yaml' && !isOwnLine) return undefined;
    return {
      title: 'Disallow other properties (additionalProperties: false)',
      kind: CodeActionKind.RefactorRewrite,
      change: { file, edits: [{ range: start, newText }] },
    };
  }
  return undefined;
}

/** A name that can be changed everywhere the document uses it. */
export interface Renameable {
  readonly range: TextRange;
  readonly name: string;
}

/** The renamable name under the cursor: a tool id, a secret, or a schema of the entry. */
export function renameableAt(manifest: Manifest, offset: number): Renameable | undefined {
  const { document } = manifest;
  const pointer = pointerAt(document, offset);
  const kind = nameKind(manifest, pointer);
  if (kind === undefined) return undefined;
  if (kind === 'schema') {
    const { offset: at, length } = document.keyAt(pointer);
    return { range: inner(manifest, at, length), name: toSegments(pointer).at(-1) ?? '' };
  }
  const value = valueAt(document.value, toSegments(pointer));
  if (typeof value !== 'string') return undefined;
  const { offset: at, length } = document.at(pointer);
  return { range: inner(manifest, at, length), name: value };
}

function nameKind({ ids }: Manifest, pointer: string): 'id' | 'secret' | 'schema' | undefined {
  if (ids.some((each) => each.pointer === pointer)) return 'id';
  if (/^\/tools\/\d+\/secrets\/\d+$/.test(pointer)) return 'secret';
  return /^\/tools\/\d+\/schema_refs\/[^/]+$/.test(pointer) ? 'schema' : undefined;
}

/** The span without the quotes, if there are any. */
function inner({ document }: Manifest, offset: number, length: number): TextRange {
  const quoted = /^["']/.test(document.text.slice(offset, offset + 1));
  return toRange(
    document,
    quoted ? { offset: offset + 1, length: length - 2 } : { offset, length },
  );
}

/** The edits that rename the name under the cursor; undefined when the new name is invalid. */
export function renameAt(
  manifest: Manifest,
  offset: number,
  to: string,
): readonly TextEdit[] | undefined {
  const renameable = renameableAt(manifest, offset);
  if (renameable === undefined || /["\\\p{Cc}]/u.test(to) || to === '') return undefined;
  const { document } = manifest;
  const pointer = pointerAt(document, offset);
  const edits: TextEdit[] = [{ range: renameable.range, newText: to }];
  const kind = nameKind(manifest, pointer);
  if (kind === 'id') return edits;
  const [, entry = ''] = /^(\/tools\/\d+)\//.exec(pointer) ?? [];
  const { offset: from, length } = document.at(entry);
  const text = document.text.slice(from, from + length);
  const { name } = renameable;
  // Uses have exactly these forms: a header's placeholder or a reference.
  const before = kind === 'secret' ? '{{secret:' : '"schema:';
  const after = kind === 'secret' ? '}}' : '"';
  const use = `${before}${name}${after}`;
  for (let at = text.indexOf(use); at >= 0; at = text.indexOf(use, at + use.length)) {
    const span = { offset: from + at + before.length, length: name.length };
    edits.push({ range: toRange(document, span), newText: to });
  }
  return edits;
}
