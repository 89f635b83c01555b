import { failure } from '../base/outcome.ts';
import type { DialectId } from '../base/tools/dialectFacts.ts';
import type { PendingManifest } from '../base/tools/toolRow.ts';
import type { Tool } from '../tools/contract.ts';
import {
  type AcceptedManifests,
  createHashFile,
  type Fingerprint,
  fingerprint,
} from './acceptance.ts';
import type { ToolEntry } from './dialects.ts';
import { makeTool, toRunsLine } from './dialectTools.ts';
import { findManifests, LOAD_LIMITS } from './findManifests.ts';
import type { Diagnostic } from './manifest/diagnostic.ts';
import { diskSurroundings, type Surroundings } from './manifest/parseSurroundings.ts';
import { isAccepted, type Manifest } from './parseManifest.ts';
import type { DeclaredOptions } from './run/options.ts';
import { validateFile } from './validateFile.ts';
import { validateTogether } from './validateTogether.ts';

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

const hashFile = createHashFile();

/** The current fingerprint of a manifest, to which an acceptance is bound. */
export function getFingerprint(manifest: Manifest): Fingerprint {
  return fingerprint(manifest, hashFile);
}

/**
 * The declared tools of a workspace. None is offered until the workspace is trusted and the manifest,
 * with everything it runs, is accepted in its current state. A manifest with an error offers none.
 */
export function loadDeclaredTools(request: LoadRequest): LoadedTools {
  if (!request.trusted) return { tools: [], diagnostics: [], notOffered: [], pending: [] };
  const surroundings = diskSurroundings(request.options.env);
  return offerTools(findDeclared(request.roots, surroundings), request, surroundings);
}

/** Validates every manifest below the folders. `onRead` gets each folder and manifest before it is read. */
export function findDeclared(
  folders: readonly string[],
  surroundings: Surroundings,
  onRead: (path: string) => void = () => undefined,
): readonly Manifest[] {
  const files = new Map(
    folders
      .flatMap((folder) => findManifests(folder, surroundings, LOAD_LIMITS, onRead))
      .map((found) => [found.file, found] as const),
  );
  const manifests = [...files.values()].map((found) => {
    onRead(found.file);
    return validateFile(found, surroundings);
  });
  return validateTogether(manifests);
}

/** The tools of manifests that were found in a trusted workspace. */
export function offerTools(
  manifests: readonly Manifest[],
  request: OfferRequest,
  surroundings: Surroundings,
): LoadedTools {
  const loaded = manifests.map((manifest) => loadManifest(manifest, request, surroundings));
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

function loadManifest(
  manifest: Manifest,
  request: OfferRequest,
  surroundings: Surroundings,
): Omit<LoadedTools, 'diagnostics'> {
  const { file, ids, entries, diagnostics } = manifest;
  const none = (why: string): RejectedTool[] =>
    ids.map(({ id, pointer }) => ({ id, file, pointer, why }));
  if (!isAccepted(manifest)) {
    const first = diagnostics.find(({ severity }) => severity === 'error');
    return {
      tools: [],
      pending: [],
      notOffered: none(`The manifest has an error: ${first?.message}`),
    };
  }
  const print = getFingerprint(manifest);
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
  for (const entry of entries) {
    const blocked = diagnostics.find(({ blocks }) => blocks === entry.index);
    const { id, pointer } = entry;
    const made = makeTool(entry, { ...request, manifest, surroundings });
    if (typeof made === 'string') notOffered.push({ id, file, pointer, why: made });
    else if (blocked) notOffered.push({ id, file, pointer, why: blocked.message });
    else
      tools.push({ tool: guard(made, manifest, print), file, pointer, dialect: manifest.dialect });
  }
  return { tools, notOffered, pending: [] };
}

function toPendingTool(entry: ToolEntry): Pending['tools'][number] {
  return { id: entry.importedId, runs: toRunsLine(entry), description: entry.description ?? '' };
}

/** Fails the call if the manifest or a program of it changed since it was accepted (MCPoison). */
function guard(tool: Tool, manifest: Manifest, accepted: Fingerprint): Tool {
  return {
    ...tool,
    async execute(args, runtime, approved) {
      if (getFingerprint(manifest).hash !== accepted.hash) {
        return failure(
          `${manifest.file} or a program of it changed since you accepted it. Accept it again.`,
        );
      }
      return tool.execute(args, runtime, approved);
    },
  };
}
