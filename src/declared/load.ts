import { failure } from '../base/outcome.ts';
import type { DialectId } from '../base/tools/dialectFacts.ts';
import type { PendingManifest } from '../base/tools/toolRow.ts';
import type { Tool } from '../tools/contract.ts';
import {
  type AcceptedManifests,
  type Fingerprint,
  getFingerprint,
  getParsedFingerprint,
} from './acceptance.ts';
import type { ToolEntry } from './dialects.ts';
import { makeTool, reachesAnyHost, toRunsLine } from './dialectTools.ts';
import { findManifests, LOAD_LIMITS } from './findManifests.ts';
import type { Diagnostic } from './manifest/diagnostic.ts';
import type { FoundManifest } from './manifest/dialectRow.ts';
import { diskSurroundings, type Surroundings } from './manifest/parseSurroundings.ts';
import { isAccepted, type Manifest } from './parseManifest.ts';
import type { DeclaredOptions } from './run/options.ts';
import { type ValidateOptions, validateManifests } from './validateManifests.ts';

export interface LoadRequest {
  /** The workspace's folders, absolute. */
  readonly roots: readonly string[];
  /** Without trust, nothing is read (spec decision 8; CVE-2025-59536). */
  readonly trusted: boolean;
  readonly accepted: AcceptedManifests;
  /** The agent that gets the tools. */
  readonly agent?: string;
  /** The text of the user's override that narrows a bundle's `policy.caps` (spec D-38), by the bundle's name. */
  readonly override?: (bundle: string) => string | undefined;
  readonly options: DeclaredOptions;
}

/** A tool that is not offered to the model, with the reason for the user. */
export interface RejectedTool {
  readonly id: string;
  /** The id that it is imported under, when its manifest could be read. */
  readonly calledAs?: string;
  readonly file: string;
  readonly pointer: string;
  readonly why: string;
}

/** A manifest that the user has not accepted yet. */
export interface Pending extends Fingerprint {
  readonly dialect: DialectId;
  readonly tools: PendingManifest['tools'];
}

/** A tool that is offered to the model, and where it is declared. */
export interface Offered {
  readonly tool: Tool;
  readonly file: string;
  readonly pointer: string;
  readonly dialect: DialectId;
}

export interface LoadedTools {
  readonly tools: readonly Offered[];
  readonly diagnostics: readonly {
    readonly file: string;
    readonly diagnostics: readonly Diagnostic[];
  }[];
  readonly notOffered: readonly RejectedTool[];
  readonly pending: readonly Pending[];
}

/**
 * The declared tools of a workspace. None is offered until the workspace is trusted and the manifest,
 * with everything it runs, is accepted in its current state. A manifest with an error offers none.
 */
export async function loadDeclaredTools(request: LoadRequest): Promise<LoadedTools> {
  if (!request.trusted) return { tools: [], diagnostics: [], notOffered: [], pending: [] };
  const surroundings = diskSurroundings(request.options.env);
  const { schemaMs } = request.options;
  const manifests = await findDeclared(request.roots, { surroundings, schemaMs });
  return offerTools(manifests, request, surroundings);
}

/**
 * Validates every manifest below the folders. One that lies in several of them belongs to the innermost. `onRead`
 * gets each folder and manifest before it is read.
 */
export function findDeclared(
  folders: readonly string[],
  options: ValidateOptions,
): Promise<readonly Manifest[]> {
  const { surroundings, onRead } = options;
  const files = new Map<string, FoundManifest>();
  for (const root of folders) {
    for (const found of findManifests({ folder: root, root }, surroundings, LOAD_LIMITS, onRead)) {
      const known = files.get(found.file);
      if (known === undefined || known.root.length < root.length) files.set(found.file, found);
    }
  }
  return validateManifests([...files.values()], options);
}

/** The tools of manifests that were found in a trusted workspace. */
export async function offerTools(
  manifests: readonly Manifest[],
  request: OfferRequest,
  surroundings: Surroundings,
): Promise<LoadedTools> {
  const loaded = await Promise.all(
    manifests.map((manifest) => loadManifest(manifest, request, surroundings)),
  );
  return {
    tools: loaded.flatMap(({ tools }) => tools),
    diagnostics: manifests
      .filter(({ diagnostics }) => diagnostics.length > 0)
      .map(({ file, diagnostics }) => ({ file, diagnostics })),
    notOffered: loaded.flatMap(({ notOffered }) => notOffered),
    pending: loaded.flatMap(({ pending }) => pending),
  };
}

type OfferRequest = Omit<LoadRequest, 'roots' | 'trusted'>;

async function loadManifest(
  manifest: Manifest,
  request: OfferRequest,
  surroundings: Surroundings,
): Promise<Omit<LoadedTools, 'diagnostics'>> {
  const { file, ids, entries, diagnostics } = manifest;
  const imported = new Map(entries.map((each) => [each.id, each.importedId] as const));
  const none = (why: string): RejectedTool[] =>
    ids.map(({ id, pointer }) => {
      const known = imported.get(id);
      const calledAs = known !== undefined && { calledAs: known };
      return { id, ...calledAs, file, pointer, why };
    });
  if (!isAccepted(manifest)) {
    const first = diagnostics.find(({ severity }) => severity === 'error');
    return {
      tools: [],
      pending: [],
      notOffered: none(`The manifest has an error: ${first?.message}`),
    };
  }
  const read = await getParsedFingerprint(manifest);
  if (!read.ok) return { tools: [], pending: [], notOffered: none(read.error) };
  const print = read.data;
  if (entries.length > 0 && !request.accepted.has(file, print.hash)) {
    const waiting: Pending = {
      ...print,
      dialect: manifest.dialect,
      tools: entries.map(toPendingTool),
    };
    return {
      tools: [],
      pending: [waiting],
      notOffered: none('You have not accepted the current version of this manifest.'),
    };
  }
  const tools: Offered[] = [];
  const notOffered: RejectedTool[] = [];
  const blocked = findBlocked(diagnostics);
  for (const entry of entries) {
    const { id, pointer, importedId: calledAs } = entry;
    const made =
      blocked.get(entry.index) ?? makeTool(entry, { ...request, manifest, surroundings });
    if (typeof made === 'string') notOffered.push({ id, calledAs, file, pointer, why: made });
    else {
      const { formerId = made.id } = entry;
      const tool = formerId === made.id ? made : { ...made, formerId };
      tools.push({ tool: guard(tool, manifest, print), file, pointer, dialect: manifest.dialect });
    }
  }
  return { tools, notOffered, pending: [] };
}

/** Why tools are not offered, by their index. */
export function findBlocked(diagnostics: readonly Diagnostic[]): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const { blocks, message } of diagnostics) {
    if (blocks !== undefined && !found.has(blocks)) found.set(blocks, message);
  }
  return found;
}

function toPendingTool(entry: ToolEntry): Pending['tools'][number] {
  return {
    id: entry.importedId,
    runs: toRunsLine(entry),
    reachesAnyHost: reachesAnyHost(entry),
    description: entry.description ?? '',
  };
}

/** Fails the call if the manifest or a program of it changed since it was accepted (MCPoison). */
function guard(tool: Tool, manifest: Manifest, accepted: Fingerprint): Tool {
  return {
    ...tool,
    identity: `manifest ${accepted.file}`,
    async execute(args, runtime, approved) {
      const current = await getFingerprint(manifest, runtime.signal);
      if (!current.ok) return current;
      if (current.data.hash !== accepted.hash) {
        return failure(
          `${manifest.file} or a program of it changed since you accepted it. Accept it again.`,
        );
      }
      return tool.execute(args, runtime, approved);
    },
  };
}
