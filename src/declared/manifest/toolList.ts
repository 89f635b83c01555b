import { readdirSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '../../base/json.ts';
import type { FindManifest, WrittenId } from './dialectRow.ts';
import { getField, type JsonObject } from './parsePointer.ts';

/** The file name of the JSON dialects. */
export const TOOLS_FILE = 'tools.json';

/** Finds every `tools.json`. */
export const findToolsFile: FindManifest = (file) =>
  path.basename(file) === TOOLS_FILE ? { file, autoloaded: true } : undefined;

/** The ids in the root's `tools`, each under `key`. */
export function getToolIds(root: JsonObject, key: string): readonly WrittenId[] {
  const tools = getField(root, 'tools');
  return (Array.isArray(tools) ? tools : []).flatMap((tool: unknown, index) => {
    const id = isRecord(tool) ? getField(tool, key) : undefined;
    return typeof id === 'string' && id !== '' ? [{ id, pointer: `/tools/${index}/${key}` }] : [];
  });
}

/** The names in a folder, sorted; none when it cannot be read. */
export function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    // A path that is still being typed may name no folder.
    return [];
  }
}

/** Names of variables in the usual form, sorted. */
export function listVariables(env: Readonly<NodeJS.ProcessEnv>): readonly string[] {
  return Object.keys(env)
    .filter((name) => /^[A-Z_][A-Z0-9_]*$/.test(name))
    .sort();
}
