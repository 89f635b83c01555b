import path from 'node:path';
import { findManifests, findRoot, LOAD_LIMITS, type NamedIn } from './findManifests.ts';
import type { Surroundings } from './manifest/parseSurroundings.ts';
import { type Manifest, parseManifest } from './parseManifest.ts';
import type { Scaffolded } from './scaffold/scaffold.ts';
import { validateFile } from './validateFile.ts';
import { breathe, type ValidateOptions, validateParsed } from './validateManifests.ts';

/**
 * The first error that `gatehouse check` would find in files that are not written yet, among the manifests
 * below `root`, which is absolute.
 */
export async function findNewError(
  { folder, files }: Scaffolded,
  { root, ...named }: NamedIn & { readonly root: string },
  { surroundings: disk, schemaMs, dialect, onRead }: ValidateOptions,
): Promise<string | undefined> {
  const texts = new Map(
    Object.entries(files).map(([name, text]) => [path.join(folder, name), text] as const),
  );
  const surroundings = withFiles(disk, texts);
  const workspace = findRoot(root, named, surroundings);
  const start = { folder: root, root: workspace };
  const found = findManifests(start, surroundings, LOAD_LIMITS, onRead);
  const others: Manifest[] = [];
  for (const each of found.filter(({ file }) => !texts.has(file))) {
    onRead?.(each.file);
    others.push(validateFile(each, surroundings, dialect));
    await breathe();
  }
  const added = [...texts]
    .filter(([file]) => /(?:^tools\.json|\.yaml)$/.test(path.basename(file)))
    .map(([file, content]) =>
      parseManifest({ file, root: workspace, content, dialect }, surroundings),
    );
  const all = await validateParsed([...others, ...added], schemaMs);
  const faults = all.slice(others.length).flatMap(({ diagnostics }) => diagnostics);
  return faults.find(({ severity }) => severity === 'error')?.message;
}

/** The disk as it will be. New programs are executable. */
function withFiles(disk: Surroundings, texts: ReadonlyMap<string, string>): Surroundings {
  return {
    ...disk,
    read(file) {
      const text = texts.get(file);
      return text === undefined ? disk.read(file) : { state: 'read', bytes: Buffer.from(text) };
    },
    program: (file) => (texts.has(file) ? 'there' : disk.program(file)),
  };
}
