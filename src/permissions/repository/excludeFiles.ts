import { statSync } from 'node:fs';
import path from 'node:path';
import { findCommon, followName, readText } from './gitFolder.ts';

/**
 * The files `info/exclude` that git and other searches read for a folder with `.git`, whether they exist or not.
 * Absolute. Throws if that can't be told.
 */
export function listExcludeFiles(root: string): readonly string[] {
  const own = `${root}/.git`;
  const stat = statSync(own, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  const folders = stat.isDirectory() ? [own, findCommon(own)] : listNamed(root, own);
  return [...new Set(folders)].map((folder) => `${folder}/info/exclude`);
}

/**
 * ripgrep and fd take the first lines of the files, and names as relative to the folder that they run in, except for a
 * common folder that begins with a dot.
 */
function listNamed(root: string, file: string): readonly string[] {
  const name = /^gitdir: (.+)/.exec(readText(file) ?? '')?.[1];
  if (name === undefined) return [];
  const above = listAbove(root);
  return above.flatMap((folder) => {
    const own = followName(folder, name);
    const common = /^.+/.exec(readText(path.join(own, 'commondir')) ?? '')?.[0];
    if (common === undefined) return [own];
    return (common.startsWith('.') ? [own] : [own, ...above]).map((each) =>
      followName(each, common),
    );
  });
}

/** The folder, and those above it. */
export function listAbove(folder: string): readonly string[] {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...listAbove(above)];
}
