import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProject, isAutoloaded, isProjectFile } from '../declared/compozy/parseProject.ts';
import type { Diagnostic } from '../declared/manifest/diagnostic.ts';
import { readDocument } from '../declared/manifest/parseDocument.ts';
import {
  ancestors,
  diskSurroundings,
  type Surroundings,
} from '../declared/manifest/parseSurroundings.ts';
import { type Manifest, parseManifest } from '../declared/parseManifest.ts';
import { validateTogether } from '../declared/validateTogether.ts';

/** An open document. */
export interface OpenText {
  readonly uri: string;
  readonly version: number;
  getText(): string;
}

/** The judged manifests among the open documents, each judged once for each version of its text. */
export interface OpenManifests {
  readonly surroundings: Surroundings;
  get(uri: string): Manifest | undefined;
  /** What is wrong with each, also with several of them together. */
  diagnostics(): ReadonlyMap<string, readonly Diagnostic[]>;
  /** The document was closed; when it opens again its versions begin anew. */
  close(uri: string): void;
  /** A neighbour changed: what was judged with it is judged again. */
  invalidate(): void;
}

/** Judges the documents that `all` lists; their unsaved text counts, also as another's neighbour. */
export function createManifests(
  all: () => readonly OpenText[],
  env: Readonly<NodeJS.ProcessEnv>,
): OpenManifests {
  const validated = new Map<
    string,
    { readonly version: number; readonly manifest: Manifest | undefined }
  >();
  const disk = diskSurroundings(env);
  const programs = new Map<string, ReturnType<Surroundings['program']>>();
  const surroundings = withOpen({ ...disk, program }, all);

  /** Asked of the disk again only after a file changed: typing must not wait for a thousand files. */
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
    const manifest = validate(document, surroundings);
    validated.set(uri, { version: document.version, manifest });
    return manifest;
  }

  return {
    surroundings,
    get,
    diagnostics() {
      const open = all().flatMap(({ uri }) => {
        const manifest = get(uri);
        return manifest === undefined ? [] : [{ uri, manifest }];
      });
      const together = validateTogether(open.map(({ manifest }) => manifest));
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
      return open === undefined ? disk.read(file) : Buffer.from(open.getText());
    },
  };
}

function validate(document: OpenText, surroundings: Surroundings): Manifest | undefined {
  const file = toPath(document.uri);
  if (file === undefined) return undefined;
  const content = document.getText();
  if (path.basename(file) === 'tools.json') return parseManifest({ file, content }, surroundings);
  if (!/\.ya?ml$/i.test(file) || isProjectFile(file)) return undefined;
  const folder = path.dirname(file);
  const autoloaded = isAutoloaded(
    findProject(folder, ancestors(folder, surroundings), surroundings),
    file,
  );
  // Without its `resource` a YAML file is somebody else's (spec decision 40).
  if (!autoloaded && !readDocument(file, content).rootKeys.includes('resource')) return undefined;
  return parseManifest({ file, content, autoloaded: true }, surroundings);
}

function toPath(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    // A document that is not on a disk has no neighbours and no programs.
    return undefined;
  }
}
