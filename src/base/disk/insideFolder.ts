import path from 'node:path';

/** Whether a file is the folder or lies below it. Both are absolute. `..x` is a name like any other. */
export function isInFolder(file: string, folder: string): boolean {
  const inside = path.relative(folder, file);
  // On Windows, the path between two drives is absolute.
  return inside.split(path.sep)[0] !== '..' && !path.isAbsolute(inside);
}
