import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFinder } from '../declared/findManifests.ts';
import type { Diagnostic } from '../declared/manifest/diagnostic.ts';
import { diskSurroundings, type Surroundings } from '../declared/manifest/parseSurroundings.ts';
import { type Manifest, parseManifest } from '../declared/parseManifest.ts';
import { validateParsed } from '../declared/validateManifests.ts';

/** An open document. */
export interface OpenText {
  readonly uri: string;
  readonly version: number;
  getText(): string;
}

/** The validated manifests among the open documents, cached by document version. */
export interface OpenManifests {
  readonly surroundings: Surroundings;
  get(uri: string): Manifest | undefined;
  /** The diagnostics of each manifest, including conflicts between several. */
  diagnostics(): Promise<ReadonlyMap<string, readonly Diagnostic[]>>;
  /** Call when a document is closed; its version numbers start over when it opens again. */
  close(uri: string): void;
  /** Invalidates the cache after a neighboring file or the workspace folders changed. */
  invalidate(): void;
}

export interface ManifestOptions {
  /** The workspace folders, absolute. */
  readonly roots: () => readonly string[];
  /** `gatehouse.limits.schemaMs`. */
  readonly schemaMs: () => number;
}

/** Validates the documents that `all` lists. Their unsaved text also counts when they are neighbors. */
export function createManifests(
  all: () => readonly OpenText[],
  env: Readonly<NodeJS.ProcessEnv>,
  options: ManifestOptions,
): OpenManifests {
  const validated = new Map<
    string,
    { readonly version: number; readonly manifest: Manifest | undefined }
  >();
  const disk = diskSurroundings(env);
  const programs = new Map<string, ReturnType<Surroundings['program']>>();
  const surroundings = withOpen({ ...disk, program }, all);

  /** Cached until a file changes, so that typing doesn't query the disk for a thousand programs. */
  function program(file: string): ReturnType<Surroundings['program']> {
    const state = programs.get(file) ?? disk.program(file);
    programs.set(file, state);
    return state;
  }

  function get(uri: string): Manifest | undefined {
    const document = all().find((each) => each.uri === uri);
    if (document === undefined) return undefined;
    const known = validated.get(uri);
    if (known?.version === document.version) return known.manifest;
    const manifest = validate(document, surroundings, options.roots());
    validated.set(uri, { version: document.version, manifest });
    return manifest;
  }

  return {
    surroundings,
    get,
    async diagnostics() {
      const open = all().flatMap(({ uri }) => {
        const manifest = get(uri);
        return manifest === undefined ? [] : [{ uri, manifest }];
      });
      const parsed = open.map(({ manifest }) => manifest);
      const together = await validateParsed(parsed, options.schemaMs());
      return new Map(open.map(({ uri }, index) => [uri, together[index]?.diagnostics ?? []]));
    },
    close: (uri) => void validated.delete(uri),
    invalidate() {
      validated.clear();
      programs.clear();
    },
  };
}

function withOpen(disk: Surroundings, all: () => readonly OpenText[]): Surroundings {
  return {
    ...disk,
    read(file) {
      const open = all().find(({ uri }) => toPath(uri) === file);
      if (open === undefined) return disk.read(file);
      return { state: 'read', bytes: Buffer.from(open.getText()) };
    },
  };
}

function validate(
  document: OpenText,
  surroundings: Surroundings,
  roots: readonly string[],
): Manifest | undefined {
  const file = toPath(document.uri);
  if (file === undefined) return undefined;
  const found = createFinder(surroundings)(file, false);
  if (found === undefined) return undefined;
  const { autoloaded } = found;
  const root = findRoot(file, roots);
  return parseManifest({ file, root, content: document.getText(), autoloaded }, surroundings);
}

/** The innermost workspace folder of a file. A file in none is never loaded, but must not share ids with another. */
function findRoot(file: string, roots: readonly string[]): string {
  const around = roots.filter((each) => file.startsWith(each + path.sep));
  const none = path.parse(file).root;
  return around.reduce((inner, each) => (each.length > inner.length ? each : inner), none);
}

/** The path of a file's URI. */
export function toPath(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    // A document that is not on disk has no neighbors and no programs.
    return undefined;
  }
}
