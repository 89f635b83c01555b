import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { getMessage } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { isToolPart, type StoredToolPart } from '../../base/stream/stored.ts';
import { toVisibleLine } from '../../base/text/visibleText.ts';
import { isHostTool } from '../../base/tools/toolFacts.ts';
import { findManifests, findRoot, LOAD_LIMITS } from '../../declared/findManifests.ts';
import { formerId, importedId } from '../../declared/manifest/parseIds.ts';
import { diskSurroundings, type Surroundings } from '../../declared/manifest/parseSurroundings.ts';
import { isAccepted, type Manifest } from '../../declared/parseManifest.ts';
import { validateFile } from '../../declared/validateFile.ts';
import { openRecorder } from '../../recorder/recorder.ts';
import type { Command, CommandIo } from '../command.ts';
import { type DataFolder, openDataFolder } from '../config/dataFolder.ts';

export const USAGE = `usage: gatehouse replay SESSION BUNDLE [--user-data DIR]

Prints what the tools of a Runloop bundle returned in a session, one line of JSON for each call, from the
records alone: nothing runs and nothing is sent. A tool that is no longer in the bundle is flagged.

  SESSION          the session's id: ses_…
  BUNDLE           the folder with tools.json and manifest.toml
  --user-data DIR  the host's data folder

exit: 0 all tools are there, 1 a tool is missing or the bundle has an error, 2 misuse
`;

/** `gatehouse replay` (spec D-27). */
export const run: Command = async (io) => {
  const request = parseRequest(io);
  if (!request.ok) return misuse(io, request.error);
  const { sessionId, folder, data } = request.data;
  const surroundings = diskSurroundings(io.env);
  const file = path.join(folder, 'tools.json');
  const root = findRoot(folder, { cwd: io.cwd }, surroundings);
  const bundle = validateFile({ file, root, autoloaded: false }, surroundings);
  // A document that can't be read tells no name.
  if (!isAccepted(bundle)) return complain(io, bundle);
  if (bundle.bundleName === undefined) return misuse(io, `${folder} is not a bundle.`);
  const recorder = openRecorder(data.database);
  try {
    await recorder.repaired();
    for (const notice of recorder.notices) io.stderr.write(`gatehouse: ${notice}\n`);
    if (recorder.session(sessionId) === undefined) {
      return misuse(io, `there is no session ${sessionId}.`);
    }
    const parts = recorder.messages(sessionId).flatMap((message) => message.parts);
    const others = () => findOthers(bundle, root, surroundings);
    return replay(io, bundle, parts.filter(isToolPart), others);
  } finally {
    recorder.close();
  }
};

/** The other manifests of the workspace. */
function findOthers({ file }: Manifest, root: string, surroundings: Surroundings) {
  return findManifests({ folder: root, root }, surroundings, LOAD_LIMITS)
    .filter((found) => found.file !== file)
    .map((found) => validateFile(found, surroundings));
}

function replay(
  { stdout, stderr }: CommandIo,
  bundle: Manifest,
  calls: readonly StoredToolPart[],
  findOthers: () => readonly Manifest[],
) {
  const declared = listIds(bundle);
  const isGone = createIsGone(bundle, findOthers);
  const missing = new Set<string>();
  for (const { toolName, toolCallId, input = {}, output } of calls) {
    const tool = declared.get(toolName);
    if (isHostTool(toolName) || (tool === undefined && !isGone(toolName))) continue;
    if (tool === undefined) missing.add(toolName);
    const row =
      tool === undefined
        ? { tool: toolName, toolCallId, input, missing: true }
        : { tool, toolCallId, input, output: output ?? null };
    stdout.write(`${JSON.stringify(row)}\n`);
  }
  if (missing.size === 0) return 0;
  const names = [...missing].join(', ');
  const are = missing.size === 1 ? 'is' : 'are';
  const mismatches = `replay detected mismatches: ${names} ${are} no longer in the bundle.`;
  stderr.write(`${toVisibleLine(mismatches)}\n`);
  return 1;
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

interface Request {
  readonly sessionId: string;
  readonly folder: string;
  readonly data: DataFolder;
}

function parseRequest({ args, cwd, env }: CommandIo): Outcome<Request> {
  try {
    const options = { 'user-data': { type: 'string' } } as const;
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [sessionId, written, ...more] = positionals;
    if (sessionId === undefined || written === undefined || more.length > 0) {
      return failure('expected a SESSION and a BUNDLE.');
    }
    const folder = path.resolve(cwd, written);
    if (!existsSync(path.join(folder, 'tools.json'))) {
      return failure(`there is no bundle in ${written}.`);
    }
    const given = values['user-data'];
    const root = given === undefined ? {} : { GATEHOUSE_DATA: path.resolve(cwd, given) };
    const data = openDataFolder({ ...env, ...root });
    // Opening the history would create it.
    if (!existsSync(data.database)) return failure(`${data.root} has no history.`);
    return success({ sessionId, folder, data });
  } catch (fault) {
    return failure(getMessage(fault));
  }
}

function complain({ stderr }: CommandIo, { file, diagnostics }: Manifest): number {
  for (const { line, column, severity, message } of diagnostics) {
    if (severity !== 'error') continue;
    stderr.write(`${toVisibleLine(`${file}:${line}:${column}: error: ${message}`)}\n`);
  }
  return 1;
}

function misuse({ stderr }: CommandIo, message: string): number {
  stderr.write(`gatehouse replay: ${message}\n\n${USAGE}`);
  return 2;
}
