import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { getCode } from '../base/faults.ts';
import { neverChanges, type ToolOffer, type ToolSource } from '../tools/toolSource.ts';
import type { AcceptedManifests } from './acceptance.ts';
import { createFileStamps, type FileStamps } from './fileStamps.ts';
import { findDeclared, getFingerprint, offerTools } from './load.ts';
import { diskSurroundings } from './manifest/parseSurroundings.ts';
import type { Manifest } from './parseManifest.ts';
import type { DeclaredOptions } from './run/options.ts';

export interface DeclaredSourceOptions extends Pick<DeclaredOptions, 'env' | 'secrets' | 'audit'> {
  /** `stamp` changes with every acceptance. */
  readonly accepted: AcceptedManifests & { stamp(): string };
  /** The folder of the user's overrides that narrow bundles, `<bundle>.toml` (spec D-38). Absolute. */
  readonly overrides: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/**
 * The tools that the manifests in the workspace declare. An offer is reused until an acceptance, or a
 * file or folder that was read for it, changes; each turn only compares timestamps.
 */
export function createDeclaredSource(options: DeclaredSourceOptions): ToolSource {
  const { accepted, env, secrets, audit, overrides, now = Date.now } = options;
  return {
    id: 'declared',
    onDidChange: neverChanges,
    async tools({ agent, folders, trusted, timeoutMs, confirmExternalActions }) {
      if (!trusted) return NOTHING;
      const acceptances = accepted.stamp();
      const stamps = createFileStamps(now);
      const surroundings = stamps.record(diskSurroundings(env));
      const manifests = findDeclared(folders, surroundings, stamps.add);
      const narrowings = await readOverrides(manifests, overrides, stamps);
      const request = {
        accepted,
        agent,
        override: (bundle: string) => narrowings.get(bundle),
        options: { env, secrets, audit, timeoutMs, confirmExternalActions },
      };
      for (const file of manifests.flatMap(toCovered)) stamps.add(file);
      const { tools, notOffered, pending } = offerTools(manifests, request, surroundings);
      const isCurrent = async () => accepted.stamp() === acceptances && (await stamps.hold());
      return { tools, notOffered, pending, isCurrent };
    },
  };
}

const NOTHING: ToolOffer = { tools: [], notOffered: [], pending: [] };

/** The manifest and what its acceptance covers: its neighbours and the programs it would run. */
function toCovered(manifest: Manifest): readonly string[] {
  return getFingerprint(manifest).covers;
}

/** The user's overrides for the bundles that were found, by the bundle's name. */
async function readOverrides(
  manifests: readonly Manifest[],
  folder: string,
  stamps: FileStamps,
): Promise<ReadonlyMap<string, string>> {
  const bundles = manifests.flatMap(({ bundleName }) => bundleName ?? []);
  const read = new Map<string, string>();
  for (const bundle of new Set(bundles.filter((name) => NAME.test(name)))) {
    const file = path.join(folder, `${bundle}.toml`);
    stamps.add(file);
    const text = await readOverride(file);
    if (text !== undefined) read.set(bundle, text);
  }
  return read;
}

/** Names that can't be paths. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

async function readOverride(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    // An override that exists but can't be read must not be ignored.
    return getCode(error) === 'ENOENT' ? undefined : 'unreadable';
  }
}
