import path from 'node:path';
import { findManifests, findRoot, LOAD_LIMITS, type NamedIn } from './findManifests.ts';
import type { Surroundings } from './manifest/parseSurroundings.ts';
import { parseManifest } from './parseManifest.ts';
import type { Scaffolded } from './scaffold/scaffold.ts';
import { validateFile } from './validateFile.ts';
import { type ValidateOptions, validateParsed } from './validateManifests.ts';

/**
 * The first error that `gatehouse check` would find in files that are not written yet, among the manifests
 * below `root`, which is absolute.
 */
export async function findNewError(
  { folder, files }: Scaffolded,
  { root, ...named }: NamedIn & { readonly root: string },
  { surroundings: disk, schemaMs }: ValidateOptions,
): Promise<string | undefined> {
  const texts = new Map(
    Object.entries(files).map(([name, text]) => [path.join(folder, name), text] as const),
  );
  const surroundings = withFiles(disk, texts);
  const workspace = findRoot(root, named, surroundings);
  const others = findManifests({ folder: root, root: workspace }, surroundings, LOAD_LIMITS)
    .filter(({ file }) => !texts.has(file))
    .map((each) => validateFile(each, surroundings));
  const added = [...texts]
    .filter(([file]) => /(?:^tools\.json|\.yaml)$/.test(path.basename(file)))
    .map(([file, content]) => parseManifest({ file, root: workspace, content }, surroundings));
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
