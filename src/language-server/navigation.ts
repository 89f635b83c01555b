import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  type DocumentSymbol,
  type Hover,
  MarkupKind,
  SymbolKind,
} from 'vscode-languageserver/node';
import { isRecord, valueAt } from '../base/json.ts';
import { getDialect } from '../declared/dialects.ts';
import { pointerTo, toSegments } from '../declared/manifest/parsePointer.ts';
import { decodeFragment } from '../declared/manifest/parseSchema.ts';
import { registryFile, type Surroundings } from '../declared/manifest/parseSurroundings.ts';
import type { Manifest } from '../declared/parseManifest.ts';
import { pointerAt } from './cursor.ts';
import { fieldAt } from './fields.ts';
import { type TextRange, toRange } from './textRange.ts';

/** The documentation of the field under the cursor, and its diagnostics. */
export function hoverAt(manifest: Manifest, offset: number): Hover | undefined {
  const pointer = pointerAt(manifest.document, offset);
  const field = findField(manifest, pointer);
  if (field === undefined) return undefined;
  const { found, at } = field;
  return {
    contents: { kind: MarkupKind.Markdown, value: `**${found.name}** — ${found.doc}` },
    range: toRange(manifest.document, manifest.document.keyAt(at)),
  };
}

/**
 * The field at a pointer, or its nearest ancestor: elements of `command` use the docs of `command`.
 */
function findField({ dialect }: Manifest, pointer: string) {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const found = fieldAt(dialect, at);
    if (found) return { found, at };
  }
  return undefined;
}

export interface Target {
  readonly file: string;
  readonly range: TextRange;
}

const START: TextRange = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** Where a `$ref`, a schema id, a program or a dialect's own reference leads. */
export function definitionAt(
  manifest: Manifest,
  offset: number,
  surroundings: Surroundings,
): Target | undefined {
  const { document, dialect, file } = manifest;
  const pointer = pointerAt(document, offset);
  const value = valueAt(document.value, toSegments(pointer));
  if (typeof value !== 'string') return undefined;
  if (pointer.endsWith('/$ref') || /^\/(?:input|output)$/.test(pointer)) {
    return schemaTarget(manifest, pointer, value, surroundings);
  }
  const edited = { file, text: document.text, pointer };
  const target = getDialect(dialect).findTarget(edited, value, surroundings);
  return target === undefined ? undefined : fileTarget(target);
}

function fileTarget(file: string): Target | undefined {
  return existsSync(file) ? { file, range: START } : undefined;
}

function schemaTarget(
  { document, file }: Manifest,
  pointer: string,
  reference: string,
  surroundings: Surroundings,
): Target | undefined {
  if (reference.startsWith('#')) {
    const root = schemaRoot(pointer);
    const at = document.keyAt(root + decodeFragment(reference.slice(1)));
    return { file, range: toRange(document, at) };
  }
  const id = reference.replace(/^schema:/, '');
  const [, entry = ''] = /^(\/tools\/\d+)\//.exec(pointer) ?? [];
  const refs =
    entry === '' ? undefined : valueAt(document.value, toSegments(`${entry}/schema_refs`));
  const named = isRecord(refs)
    ? [id, `schema:${id}`].find((each) => Object.hasOwn(refs, each))
    : undefined;
  if (named !== undefined) {
    const at = document.keyAt(pointerTo(`${entry}/schema_refs`, named));
    return { file, range: toRange(document, at) };
  }
  const found = registryFile(path.dirname(file), id, surroundings);
  return found === undefined ? undefined : { file: found, range: START };
}

/** The schema to which a reference inside it is relative. */
function schemaRoot(pointer: string): string {
  const [root = ''] =
    /^\/(?:input|output)(?=\/)|^\/tools\/\d+\/(?:schema_refs\/[^/]+|schema|input_schema|result_schema)(?=\/)/.exec(
      pointer,
    ) ?? [];
  return root;
}

/** The document's tools, for the outline. */
export function toSymbols({ document, ids }: Manifest): readonly DocumentSymbol[] {
  return ids.map(({ id, pointer }) => {
    const holder = pointer.slice(0, pointer.lastIndexOf('/'));
    return {
      name: id,
      kind: SymbolKind.Function,
      range: toRange(document, document.at(holder)),
      selectionRange: toRange(document, document.at(pointer)),
    };
  });
}
