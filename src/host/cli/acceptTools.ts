import path from 'node:path';
import { readAgent } from '../../agentDefinitions/discover.ts';
import { failure } from '../../base/outcome.ts';
import { toVisibleLine } from '../../base/text/visibleText.ts';
import { getParsedFingerprint } from '../../declared/acceptance.ts';
import { reachesAnyHost, toRunsLine } from '../../declared/dialectTools.ts';
import { findNamed } from '../../declared/findManifests.ts';
import { findBlocked } from '../../declared/load.ts';
import { diskSurroundings } from '../../declared/manifest/parseSurroundings.ts';
import { isAccepted, type Manifest } from '../../declared/parseManifest.ts';
import { validateManifests } from '../../declared/validateManifests.ts';
import type { Command, CommandIo } from '../command.ts';
import { type Acceptances, openAcceptances } from '../config/acceptance.ts';
import { openDataFolder } from '../config/dataFolder.ts';
import { readFolderSettings } from '../config/folderSettings.ts';
import { acceptRules, isSettingsFile } from '../config/workspaceRules.ts';
import { takeWorkspace } from './workspaceOption.ts';

export const USAGE = 'usage: gatehouse accept [--revoke] [--workspace DIR] PATH…\n';

/**
 * `gatehouse accept`: accepts an agent's manifest, the rules of a workspace's settings file, or the tool
 * manifests below PATH with the programs they run in their current state, for hosts without an editor.
 * Prints what is accepted.
 */
export const run: Command = async (io) => {
  const taken = takeWorkspace(io);
  const { words, workspace } = taken.ok ? taken.data : { words: [] };
  const revoke = words.includes('--revoke');
  const paths = words.filter((word) => word !== '--revoke');
  if (paths.length === 0 || paths.some((word) => word.startsWith('-'))) {
    if (!taken.ok) io.stderr.write(`gatehouse accept: ${taken.error}\n`);
    io.stderr.write(USAGE);
    return 2;
  }
  const acceptances = openAcceptances(openDataFolder(io.env).accepted);
  const change: Change = { acceptances, accepted: !revoke, io };
  const targets = paths.map((written) => path.resolve(io.cwd, written));
  const agents = targets.filter((target) => target.endsWith('.md'));
  const results: boolean[] = [];
  for (const file of agents) results.push(await acceptAgent(file, change));
  const settings = targets.filter(isSettingsFile);
  for (const file of settings) results.push(acceptSettings(file, change));
  const others = targets.filter((target) => !agents.includes(target) && !isSettingsFile(target));
  for (const manifest of await findManifests(others, workspace, io)) {
    results.push(await acceptManifest(manifest, change));
  }
  return results.every(Boolean) ? 0 : 1;
};

interface Change {
  readonly acceptances: Acceptances;
  /** False: revoked. */
  readonly accepted: boolean;
  readonly io: CommandIo;
}

/** The manifests of all paths are validated together, as the loader does. */
function findManifests(
  targets: readonly string[],
  workspace: string | undefined,
  io: CommandIo,
): Promise<readonly Manifest[]> {
  const surroundings = diskSurroundings(io.env);
  const found = targets.flatMap(
    (target) =>
      findNamed(target, { cwd: io.cwd, workspace }, surroundings) ?? {
        file: target,
        root: io.cwd,
        autoloaded: false,
      },
  );
  const { schemaMs } = readFolderSettings(io.cwd, io.env).limits;
  return validateManifests(found, { surroundings, schemaMs });
}

async function acceptManifest(
  manifest: Manifest,
  { acceptances, accepted, io }: Change,
): Promise<boolean> {
  const { file, entries } = manifest;
  const print = isAccepted(manifest)
    ? await getParsedFingerprint(manifest)
    : failure(`${file}: has errors; see gatehouse check`);
  if (!print.ok) {
    writeLine(io.stderr, print.error);
    return false;
  }
  acceptances.accept(file, print.data.hash, accepted);
  writeLine(io.stdout, `${accepted ? 'accepted' : 'revoked'} ${file}`);
  const blocked = findBlocked(manifest.diagnostics);
  for (const entry of entries) {
    const reach = reachesAnyHost(entry) ? ' (may reach any host)' : '';
    writeLine(io.stdout, `  ${entry.importedId}: ${toRunsLine(entry)}${reach}`);
    const why = blocked.get(entry.index);
    if (why !== undefined) writeLine(io.stderr, `  ${entry.importedId}: ${why}`);
  }
  return true;
}

/** False if the file has no rule that allows something. */
function acceptSettings(file: string, { acceptances, accepted, io }: Change): boolean {
  const rules = acceptRules(file, accepted, { acceptances, env: io.env });
  if (rules.length === 0) {
    writeLine(io.stderr, `${file}: has no rule that allows something`);
    return false;
  }
  writeLine(io.stdout, `${accepted ? 'accepted' : 'revoked'} ${file}`);
  for (const { permission, pattern } of rules) {
    writeLine(io.stdout, `  allow ${permission}(${pattern})`);
  }
  return true;
}

async function acceptAgent(file: string, { acceptances, accepted, io }: Change): Promise<boolean> {
  const read = await readAgent(file);
  if (!read.ok) {
    writeLine(io.stderr, read.error);
    return false;
  }
  const { definition, hash } = read.data;
  acceptances.accept(file, hash, accepted);
  writeLine(io.stdout, `${accepted ? 'accepted' : 'revoked'} ${file}`);
  for (const root of definition.roots) writeLine(io.stdout, `  opens ${root}`);
  for (const { permission, pattern, action } of definition.permissions) {
    if (action === 'allow') writeLine(io.stdout, `  allow ${permission}(${pattern})`);
  }
  return true;
}

/** A manifest must not be able to rewrite the lines by which the user consents to it. */
function writeLine(stream: CommandIo['stdout'], line: string): void {
  stream.write(`${toVisibleLine(line)}\n`);
}
