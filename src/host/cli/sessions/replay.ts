import { existsSync } from 'node:fs';
import path from 'node:path';
import { toVisibleLine } from '../../../base/text/visibleText.ts';
import { isHostTool } from '../../../base/tools/toolFacts.ts';
import { findManifests, findRoot, isFolder, LOAD_LIMITS } from '../../../declared/findManifests.ts';
import { formerId, importedId } from '../../../declared/manifest/parseIds.ts';
import {
  diskSurroundings,
  type Surroundings,
} from '../../../declared/manifest/parseSurroundings.ts';
import { isAccepted, type Manifest } from '../../../declared/parseManifest.ts';
import { validateFile } from '../../../declared/validateFile.ts';
import { readCalls, type StoredCall } from '../../../recorder/library/readCalls.ts';
import type { Command, CommandIo } from '../../command.ts';
import { Misuse, NotFound, parseWords, requireSession, withHistory } from './request.ts';

export const USAGE = `usage: gatehouse replay SESSION BUNDLE [--user-data DIR]

The same as gatehouse sessions replay SESSION BUNDLE: prints what the tools of a Runloop bundle returned in a
session, one line of JSON for each call, from the records alone: nothing runs and nothing is sent. A tool that is
no longer in the bundle is flagged.

  SESSION          the session's id: ses_…
  BUNDLE           the folder with tools.json and manifest.toml
  --user-data DIR  the host's data folder

exit: 0 all tools are there, 1 a tool is missing or the bundle has an error, 2 misuse
`;

/** `gatehouse replay` (spec D-27). */
export const run: Command = async (io) => {
  try {
    const { positionals } = parseWords(io.args, {}, [2, 2]);
    if (positionals.length === 2) return await replay(io);
  } catch (fault) {
    if (!(fault instanceof Misuse)) throw fault;
    io.stderr.write(`gatehouse replay: ${toVisibleLine(fault.message)}\n`);
    if (!(fault instanceof NotFound)) io.stderr.write(`\n${USAGE}`);
  }
  return 2;
};

/** `gatehouse sessions replay` (spec CS-99): the calls of a session, or those of one bundle's tools. Throws `Misuse`. */
export const replay: Command = async (io) => {
  const { positionals, values } = parseWords(io.args, {}, [1, 2]);
  const [sessionId = '', written] = positionals;
  const surroundings = diskSurroundings(io.env);
  return withHistory(io, values['user-data'], (history) => {
    const calls = () => readCalls(history.recorder.store, sessionId);
    if (written === undefined) {
      const { cwd } = requireSession(history, sessionId);
      const named = nameAll(() => findManifestsIn(cwd, surroundings));
      return print(io, calls(), named, 'declared');
    }
    const { bundle, root } = openBundle(io, written, surroundings);
    // A document that can't be read tells no name.
    if (!isAccepted(bundle)) return complain(io, bundle);
    if (bundle.bundleName === undefined) throw new Misuse(`${written} is not a bundle.`);
    requireSession(history, sessionId);
    const named = nameBundle(bundle, () => findOthers(bundle, root, surroundings));
    return print(io, calls(), named, 'in the bundle');
  });
};

function openBundle({ cwd }: CommandIo, written: string, surroundings: Surroundings) {
  const folder = path.resolve(cwd, written);
  const file = path.join(folder, 'tools.json');
  if (!existsSync(file))
    throw new NotFound(`There is no bundle in ${written}: it has no tools.json.`);
  const root = findRoot(folder, { cwd }, surroundings);
  return { bundle: validateFile({ file, root, autoloaded: false }, surroundings), root };
}

/** What a call's tool is called in the output; `missing` if it is gone; undefined if the call is left out. */
type NameTool = (tool: string) => { readonly name: string; readonly missing: boolean } | undefined;

/** Every tool. Those of the host are always there; the manifests are read when another one is found. */
function nameAll(findManifests: () => readonly Manifest[]): NameTool {
  let declared: ReadonlySet<string | undefined> | undefined;
  return (name) => {
    if (isHostTool(name)) return { name, missing: false };
    declared ??= new Set(findManifests().flatMap((manifest) => [...listIds(manifest).keys()]));
    return { name, missing: !declared.has(name) };
  };
}

/** The tools of a bundle, as it names them. */
function nameBundle(bundle: Manifest, findOthers: () => readonly Manifest[]): NameTool {
  const declared = listIds(bundle);
  const isGone = createIsGone(bundle, findOthers);
  return (tool) => {
    const name = declared.get(tool);
    if (isHostTool(tool) || (name === undefined && !isGone(tool))) return undefined;
    return name === undefined ? { name: tool, missing: true } : { name, missing: false };
  };
}

/** The stored texts are printed as they are, so that they stay equal byte for byte. */
function print(
  { stdout, stderr }: CommandIo,
  calls: readonly StoredCall[],
  nameTool: NameTool,
  where: string,
): number {
  const missing = new Set<string>();
  for (const { tool, toolCallId, input = '{}', output = 'null' } of calls) {
    const named = nameTool(tool);
    if (named === undefined) continue;
    if (named.missing) missing.add(tool);
    const isLeftOut = named.missing && where === 'in the bundle';
    const fields = [
      `"tool":${JSON.stringify(named.name)},"toolCallId":${JSON.stringify(toolCallId)}`,
      `"input":${input}`,
      ...(isLeftOut ? [] : [`"output":${output}`]),
      ...(named.missing ? ['"missing":true'] : []),
    ];
    stdout.write(`{${fields.join(',')}}\n`);
  }
  if (missing.size === 0) return 0;
  const names = [...missing].join(', ');
  const are = missing.size === 1 ? 'is' : 'are';
  const mismatches = `replay detected mismatches: ${names} ${are} no longer ${where}.`;
  stderr.write(`${toVisibleLine(mismatches)}\n`);
  return 1;
}

/** The manifests of a session's folder; none if it is gone. */
function findManifestsIn(folder: string, surroundings: Surroundings): readonly Manifest[] {
  if (!isFolder(folder)) return [];
  const root = findRoot(folder, { cwd: folder }, surroundings);
  return findManifests({ folder: root, root }, surroundings, LOAD_LIMITS).map((found) =>
    validateFile(found, surroundings),
  );
}

/** The other manifests of the workspace. */
function findOthers({ file }: Manifest, root: string, surroundings: Surroundings) {
  return findManifests({ folder: root, root }, surroundings, LOAD_LIMITS)
    .filter((found) => found.file !== file)
    .map((found) => validateFile(found, surroundings));
}

/** The ids of a manifest's tools as written, by all that a session may have called them. */
function listIds({ entries }: Manifest): ReadonlyMap<string | undefined, string> {
  // Sessions of earlier versions have the former ids.
  const ids = entries.flatMap((entry) =>
    [entry.importedId, entry.formerId].map((id) => [id, entry.id] as const),
  );
  return new Map(ids);
}

/**
 * Whether an id that the bundle does not declare was one of its. The ids of a bundle `a_b` begin like those of
 * `a`, so the longest source decides. The other manifests are read when the first such id is found.
 */
function createIsGone(bundle: Manifest, findOthers: () => readonly Manifest[]) {
  const { bundleName = '', bundleSource = bundleName } = bundle;
  const own = [importedId(bundleSource, 'x'), formerId(bundleName, 'x')].map((id) =>
    id.slice(0, -1),
  );
  let others: readonly Manifest[] | undefined;
  return (id: string): boolean => {
    const length = longestStart(own, id);
    if (length === 0) return false;
    others ??= findOthers();
    return others.every((other) => {
      const isItsOwn = listIds(other).has(id);
      return !isItsOwn && longestStart(listPrefixes(other), id) <= length;
    });
  };
}

/** What the ids of a manifest's tools begin with. The id of a tool with a long name may begin in another way. */
function listPrefixes({ bundleName, bundleSource = bundleName, entries }: Manifest) {
  const own = bundleSource === undefined ? [] : [importedId(bundleSource, 'x').slice(0, -1)];
  const others = entries.flatMap(({ id, ...entry }) =>
    [entry.importedId, entry.formerId].flatMap(
      (each) => each?.slice(0, each.length - id.trim().length) ?? [],
    ),
  );
  return [...own, ...others];
}

function longestStart(starts: readonly string[], text: string): number {
  return Math.max(0, ...starts.filter((each) => text.startsWith(each)).map((each) => each.length));
}

function complain({ stderr }: CommandIo, { file, diagnostics }: Manifest): number {
  for (const { line, column, severity, message } of diagnostics) {
    if (severity !== 'error') continue;
    stderr.write(`${toVisibleLine(`${file}:${line}:${column}: error: ${message}`)}\n`);
  }
  return 1;
}
