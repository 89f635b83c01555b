import path from 'node:path';
import type { DialectId } from '../../../src/base/tools/dialectFacts.ts';
import type { Surroundings } from '../../../src/declared/manifest/parseSurroundings.ts';
import { type Manifest, parseManifest } from '../../../src/declared/parseManifest.ts';
import { validateSchemas } from '../../../src/declared/validateSchemas.ts';

export const FOLDER = path.resolve('/project/shop');

/** Neighbours in memory: every program is there, and the given files and variables. */
export function surroundings(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  variables: readonly string[] = [],
  platform: NodeJS.Platform = 'linux',
): Surroundings {
  return {
    platform,
    read: (file) => {
      const name = path.relative(FOLDER, file).split(path.sep).join('/');
      const content = Object.hasOwn(files, name) ? files[name] : undefined;
      return content === undefined
        ? { state: 'absent' }
        : { state: 'read', bytes: Buffer.from(content) };
    },
    path: [],
    program: () => 'there',
    variable: (name) => variables.includes(name),
  };
}

/** Judges a value or a text as a manifest of the folder. */
export function validate(
  document: unknown,
  options: {
    readonly name?: string;
    readonly dialect?: DialectId;
    readonly around?: Surroundings;
    readonly autoloaded?: boolean;
  } = {},
): Manifest {
  const content = typeof document === 'string' ? document : JSON.stringify(document);
  const { name = 'tools.json', dialect, autoloaded = false, around = surroundings() } = options;
  return parseManifest(
    { file: path.join(FOLDER, name), root: FOLDER, content, dialect, autoloaded },
    around,
  );
}

/** The manifest with the diagnostics of its schemas. */
export async function validateWhole(...args: Parameters<typeof validate>): Promise<Manifest> {
  const manifest = validate(...args);
  const [whole = manifest] = await validateSchemas([manifest], 60_000);
  return whole;
}

export function errors(manifest: Manifest): readonly string[] {
  return messages(manifest, 'error');
}

export function messages(
  manifest: Manifest,
  severity: 'error' | 'warning' | 'information',
): readonly string[] {
  return manifest.diagnostics
    .filter((each) => each.severity === severity)
    .map((each) => each.message);
}
