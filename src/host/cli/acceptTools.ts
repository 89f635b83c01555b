import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseAgentDefinition } from '../../agentDefinitions/parse.ts';
import { getMessage } from '../../base/faults.ts';
import { toRunsLine } from '../../declared/dialectTools.ts';
import { CHECK_LIMITS, findManifests, isFolder } from '../../declared/findManifests.ts';
import { getFingerprint } from '../../declared/load.ts';
import { diskSurroundings } from '../../declared/manifest/parseSurroundings.ts';
import { isAccepted } from '../../declared/parseManifest.ts';
import { validateFile } from '../../declared/validateFile.ts';
import type { Command, CommandIo } from '../command.ts';
import { type Acceptances, openAcceptances, sha256 } from '../config/acceptance.ts';
import { openDataFolder } from '../config/dataFolder.ts';

export const USAGE = 'usage: gatehouse accept [--revoke] PATH…\n';

/**
 * `gatehouse accept`: accepts an agent's manifest, or the tool manifests below PATH with the programs they
 * run in their current state, for hosts without an editor. Prints what is accepted.
 */
export const run: Command = async (io) => {
  const revoke = io.args.includes('--revoke');
  const paths = io.args.filter((word) => word !== '--revoke');
  if (paths.length === 0 || paths.some((word) => word.startsWith('-'))) {
    io.stderr.write(USAGE);
    return 2;
  }
  const surroundings = diskSurroundings(io.env);
  const acceptances = openAcceptances(openDataFolder(io.env).accepted);
  let code = 0;
  for (const written of paths) {
    const target = path.resolve(io.cwd, written);
    if (target.endsWith('.md')) {
      if (!(await acceptAgent(target, acceptances, revoke, io))) code = 1;
      continue;
    }
    const found = isFolder(target)
      ? findManifests(target, surroundings, CHECK_LIMITS)
      : [{ file: target, autoloaded: false }];
    for (const each of found) {
      const manifest = validateFile(each, surroundings);
      if (!isAccepted(manifest)) {
        io.stderr.write(`${each.file}: has errors; see gatehouse check\n`);
        code = 1;
        continue;
      }
      acceptances.accept(each.file, getFingerprint(manifest).hash, !revoke);
      io.stdout.write(`${revoke ? 'revoked' : 'accepted'} ${each.file}\n`);
      for (const entry of manifest.entries)
        io.stdout.write(`  ${entry.importedId}: ${toRunsLine(entry)}\n`);
    }
  }
  return code;
};

async function acceptAgent(
  file: string,
  acceptances: Acceptances,
  revoke: boolean,
  { stdout, stderr }: CommandIo,
): Promise<boolean> {
  const bytes = await readFile(file).catch(getMessage);
  if (typeof bytes === 'string') {
    stderr.write(`${file}: ${bytes}\n`);
    return false;
  }
  const manifest = await parseAgentDefinition(bytes.toString('utf8'), file);
  if (!manifest.ok) {
    stderr.write(`${manifest.error}\n`);
    return false;
  }
  acceptances.accept(file, sha256(bytes), !revoke);
  stdout.write(`${revoke ? 'revoked' : 'accepted'} ${file}\n`);
  for (const root of manifest.data.roots) stdout.write(`  opens ${root}\n`);
  return true;
}
