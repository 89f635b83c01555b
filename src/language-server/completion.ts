import path from 'node:path';
import {
  type CompletionItem,
  CompletionItemKind,
  InsertTextFormat,
  MarkupKind,
} from 'vscode-languageserver/node';
import { isRecord } from '../base/json.ts';
import { getDialect } from '../declared/dialects.ts';
import type { Field } from '../declared/manifest/field.ts';
import { getField } from '../declared/manifest/parsePointer.ts';
import { listNames } from '../declared/manifest/toolList.ts';
import type { Manifest } from '../declared/parseManifest.ts';
import { cursorAt } from './cursor.ts';
import { fieldAt, findFields } from './fields.ts';
import { type TextRange, toRange } from './textRange.ts';

/**
 * Completions at an offset: fields, their values, programs, variables, capabilities and schemas.
 */
export function completeAt(
  manifest: Manifest,
  offset: number,
  env: Readonly<NodeJS.ProcessEnv>,
): readonly CompletionItem[] {
  const { document, dialect } = manifest;
  const cursor = cursorAt(document, offset);
  const range = toRange(document, cursor.span);
  if (cursor.isKey) {
    const isNamed = document.text
      .slice(cursor.span.offset + cursor.span.length)
      .trimStart()
      .startsWith(':');
    const taken = namesAt(manifest, cursor.pointer);
    const fields = findFields(dialect, cursor.pointer) ?? [];
    return fields
      .filter(({ name }) => !taken.has(name) || name === cursor.written)
      .map((field) => fieldItem(field, document.notation, range, isNamed));
  }
  return valuesAt(manifest, cursor.pointer, env).map((value) =>
    valueItem(value, document.notation, range),
  );
}

function namesAt({ document }: Manifest, pointer: string): ReadonlySet<string> {
  const at = document.at(pointer);
  const text = document.text.slice(at.offset, at.offset + at.length);
  if (document.notation === 'yaml' && pointer === '') {
    return new Set([...document.text.matchAll(/^([\w-]+):/gm)].map(([, name = '']) => name));
  }
  const depthOne = text.replace(/(?<=^.+)[{[][^{}[\]]*[}\]]/gs, '');
  return new Set([...depthOne.matchAll(/"([^"\\]*)"\s*:/g)].map(([, name = '']) => name));
}

function fieldItem(
  { name, doc, json, yaml }: Field,
  notation: 'json' | 'yaml',
  range: TextRange,
  isNamed: boolean,
): CompletionItem {
  const value =
    notation === 'json'
      ? ` ${json ?? '"$1"'}`
      : yaml?.startsWith('\n')
        ? yaml
        : ` ${yaml ?? json ?? '$1'}`;
  const key = notation === 'json' ? `"${name}"` : name;
  return {
    label: name,
    kind: CompletionItemKind.Property,
    documentation: { kind: MarkupKind.Markdown, value: doc },
    filterText: key,
    insertTextFormat: InsertTextFormat.Snippet,
    textEdit: { range, newText: isNamed ? toSnippet(key) : `${toSnippet(key)}:${value}` },
  };
}

/** `$` starts a placeholder in a snippet. */
function toSnippet(text: string): string {
  return text.replace(/[$}\\]/g, '\\$&');
}

function valueItem(value: string, notation: 'json' | 'yaml', range: TextRange): CompletionItem {
  const newText = notation === 'json' ? JSON.stringify(value) : value;
  return {
    label: value,
    kind: CompletionItemKind.Value,
    filterText: newText,
    textEdit: { range, newText },
  };
}

function valuesAt(
  manifest: Manifest,
  pointer: string,
  env: Readonly<NodeJS.ProcessEnv>,
): readonly string[] {
  const { dialect, file, document } = manifest;
  const fixed = fieldAt(dialect, pointer)?.values;
  if (fixed) return fixed;
  if (pointer.endsWith('/$ref')) return schemaIds(manifest, pointer);
  return getDialect(dialect).suggestValues({ file, text: document.text, pointer }, env);
}

function schemaIds({ file, document }: Manifest, pointer: string): readonly string[] {
  const own = isRecord(document.value) ? getField(document.value, 'tools') : undefined;
  const index = Number(/^\/tools\/(\d+)\//.exec(pointer)?.[1] ?? -1);
  const entry: unknown = Array.isArray(own) ? own[index] : undefined;
  const refs = isRecord(entry) ? getField(entry, 'schema_refs') : undefined;
  const files: string[] = [];
  for (let folder = path.dirname(file), step = 0; step < 8; step++, folder = path.dirname(folder)) {
    files.push(...listNames(path.join(folder, 'schemas')).filter((name) => name.endsWith('.json')));
  }
  const ids = [
    ...Object.keys(isRecord(refs) ? refs : {}),
    ...files.map((name) => name.slice(0, -5)),
  ];
  return [...new Set(ids)].map((id) => `schema:${id}`);
}
