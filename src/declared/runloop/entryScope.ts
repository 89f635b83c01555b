import type { Diagnostics } from '../manifest/diagnostic.ts';
import type { DeclaredSchema } from '../manifest/dialectRow.ts';
import type { SourceDocument } from '../manifest/parseDocument.ts';
import { getField, getFieldPointer, type JsonObject, typeName } from '../manifest/parsePointer.ts';
import type { Surroundings } from '../manifest/parseSurroundings.ts';
import type { Bundle } from './parseBundle.ts';

/** The state shared by the validators of one entry. */
export interface EntryScope {
  readonly diagnostics: Diagnostics;
  readonly document: SourceDocument;
  readonly folder: string;
  /** The workspace folder. Absolute. */
  readonly root: string;
  readonly surroundings: Surroundings;
  readonly bundle: Bundle;
  readonly index: number;
  readonly pointer: string;
  readonly tool: JsonObject;
  /** Collects the schemas. */
  readonly schemas: DeclaredSchema[];
  /** Adds an error and marks the entry as refused. */
  refuse(pointer: string, message: string): void;
}

/** A required string field; `empty` is the original's text for an empty one. */
export function requiredText(
  { tool, pointer, index, refuse }: EntryScope,
  key: string,
  empty: string,
): string | undefined {
  const value = getField(tool, key);
  const fieldPointer = getFieldPointer(tool, pointer, key);
  if (value === undefined) refuse(fieldPointer, `invalid JSON: missing field \`${key}\``);
  else if (typeof value !== 'string') {
    refuse(fieldPointer, `invalid JSON: invalid type: ${typeName(value)}, expected a string`);
  } else if (value === '') refuse(fieldPointer, `tool #${index}: ${empty}`);
  else return value;
  return undefined;
}
