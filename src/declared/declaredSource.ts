import path from 'node:path';
import { readRegularText } from '../base/disk/readRegular.ts';
import { neverChanges, type ToolOffer, type ToolSource } from '../tools/toolSource.ts';
import type { AcceptedManifests } from './acceptance.ts';
import { listCovered } from './covered/listCovered.ts';
import { createFileStamps, type FileStamps } from './fileStamps.ts';
import { findDeclared, offerTools } from './load.ts';
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
    async tools({ agent, folders, trusted, timeoutMs, schemaMs, confirmExternalActions }) {
      if (!trusted) return NOTHING;
      const acceptances = accepted.stamp();
      const stamps = createFileStamps(now);
      const surroundings = stamps.record(diskSurroundings(env));
      const manifests = await findDeclared(folders, { surroundings, schemaMs, onRead: stamps.add });
      const narrowings = readOverrides(manifests, overrides, stamps);
      const request = {
        accepted,
        agent,
        override: (bundle: string) => narrowings.get(bundle),
        options: { env, secrets, audit, timeoutMs, schemaMs, confirmExternalActions },
      };
      for (const manifest of manifests) {
        const covered = await listCovered(manifest);
        for (const file of covered.ok ? covered.data : []) stamps.add(file);
      }
      const { tools, notOffered, pending } = await offerTools(manifests, request, surroundings);
      const isCurrent = async () => accepted.stamp() === acceptances && (await stamps.hold());
      return { tools, notOffered, pending, isCurrent };
    },
  };
}

const NOTHING: ToolOffer = { tools: [], notOffered: [], pending: [] };

/** The user's overrides for the bundles that were found, by the bundle's name. */
function readOverrides(
  manifests: readonly Manifest[],
  folder: string,
  stamps: FileStamps,
): ReadonlyMap<string, string> {
  const bundles = manifests.flatMap(({ bundleName }) => bundleName ?? []);
  const read = new Map<string, string>();
  for (const bundle of new Set(bundles.filter((name) => NAME.test(name)))) {
    const file = path.join(folder, `${bundle}.toml`);
    stamps.add(file);
    const text = readOverride(file);
    if (text !== undefined) read.set(bundle, text);
  }
  return read;
}

/** Names that can't be paths. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/** An override that exists but can't be read must not be ignored: no caps can be parsed from its text. */
function readOverride(file: string): string | undefined {
  const read = readRegularText(file);
  if (read.state === 'absent') return undefined;
  return read.state === 'read' ? read.text : `unreadable: ${read.why}`;
}
