import type { DialectId } from '../base/tools/dialectFacts.ts';
import type { FoundManifest } from './manifest/dialectRow.ts';
import type { Surroundings } from './manifest/parseSurroundings.ts';
import type { Manifest } from './parseManifest.ts';
import { validateFile } from './validateFile.ts';
import { validateSchemas } from './validateSchemas.ts';
import { validateTogether } from './validateTogether.ts';

export interface ValidateOptions {
  readonly surroundings: Surroundings;
  /** `gatehouse.limits.schemaMs`. */
  readonly schemaMs: number;
  /** Undefined: detected for each file. */
  readonly dialect?: DialectId | undefined;
  /** Gets each file before it is read. */
  onRead?(file: string): void;
}

/**
 * Validates manifests and their conflicts with each other. The loader, the commands and the language server all
 * use this function or `validateParsed`, so a manifest that one of them accepts is accepted by all.
 */
export async function validateManifests(
  found: readonly FoundManifest[],
  options: ValidateOptions,
): Promise<readonly Manifest[]> {
  const { surroundings, dialect, onRead } = options;
  const parsed: Manifest[] = [];
  // A file that was found twice, as one that is named and lies in a named folder, has no conflict with itself.
  const files = new Map(found.map((each) => [each.file, each] as const));
  for (const each of files.values()) {
    onRead?.(each.file);
    parsed.push(validateFile(each, surroundings, dialect));
    await breathe();
  }
  return validateParsed(parsed, options.schemaMs);
}

/** The rest of the validation, for manifests that are parsed already. */
export async function validateParsed(
  parsed: readonly Manifest[],
  schemaMs: number,
): Promise<readonly Manifest[]> {
  return validateTogether(await validateSchemas(parsed, schemaMs));
}

/** Lets the process do something else in between. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
