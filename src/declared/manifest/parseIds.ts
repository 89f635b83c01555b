import path from 'node:path';

/** The longest function name that model APIs accept. */
const LONGEST = 64;
/** The source keeps at least one letter before the `_`. */
export const LONGEST_NAME = LONGEST - 2;

/** `<source>_<name>` in letters, digits, `_` and `-` (spec E-1, decision 48); a long source is cut. */
export function importedId(source: string, name: string): string {
  const tail = cleanName(name);
  const head = cleanSource(source).slice(0, Math.max(1, LONGEST - 1 - tail.length));
  return `${head}_${tail}`;
}

/** The source of a manifest's tools: the name of its folder. */
export function toSource(folder: string): string {
  return cleanSource(path.basename(folder));
}

function cleanSource(source: string): string {
  return source.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '') || 'tools';
}

function cleanName(name: string): string {
  return name.trim().replace(/[^A-Za-z0-9_-]/g, '_');
}

/** The variable of a secret: upper case, every other character `_` (spec D-41). */
export function secretVariable(id: string): string {
  return id.toUpperCase().replace(/[^A-Z0-9]/g, '_');
}

/** Loader variables: setting one runs code in the program (spec B-38, E-7). */
export const LOADER_VARIABLES: ReadonlySet<string> = new Set([
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'LD_AUDIT',
  'DYLD_INSERT_LIBRARIES',
  'DYLD_LIBRARY_PATH',
  'DYLD_FRAMEWORK_PATH',
  'NODE_OPTIONS',
  'BUN_CONFIG_PROFILE',
]);

/** Invisible characters, including the tag block, which can hide instructions in descriptions. */
const INVISIBLE = /[\p{Cf}\p{Co}\u{E0000}-\u{E0FFF}\u115F\u1160\u3164\uFFA0]|(?![\t\n])\p{Cc}/gu;

export function invisibleCount(text: string): number {
  return text.match(INVISIBLE)?.length ?? 0;
}

/** Removes invisible characters, for models and prompts. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, '');
}
