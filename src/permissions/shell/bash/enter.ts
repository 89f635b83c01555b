import { homedir } from 'node:os';
import { mayLeadElsewhere } from '../../disk/enterFolder.ts';
import { ELSEWHERE, type ShellWord } from '../acts.ts';
import { type Flow, type Folders, LOST, move, normalize, toFlow } from '../folders.ts';
import { type GitInFolder, readFolderOption } from '../git/folderOption.ts';
import { spend, type Walk } from '../walkState.ts';

/** Where `cd`, `pushd` or `popd` leads; adds the folders. */
export function enter(words: readonly ShellWord[], folders: Folders, walk: Walk): Flow {
  const flow = move(words, folders, homedir(), toEntered);
  // Each folder may be one below the last, and the links in all parts of its path are resolved.
  if (!spend(walk, countParts(flow.ok))) return toFlow(LOST);
  addFolders(flow.ok, walk);
  const target = words.at(-1);
  // Bash may also enter the path as written, where `..` follows links.
  if (target?.literal === true && /(?:^|\/)\.\.(?:\/|$)/.test(target.value))
    addFolder(target.value, folders, walk);
  return flow;
}

function countParts(folders: Folders): number {
  return folders.reduce((sum, folder) => sum + folder.split('/').length, 0);
}

/** The git command that `-C folder` runs elsewhere; adds its folders. */
export function enterByOption(
  words: readonly ShellWord[],
  folders: Folders,
  walk: Walk,
): GitInFolder | undefined {
  const git = readFolderOption(words, folders);
  addFolders(git?.folders ?? [], walk);
  return git;
}

/** What runs in a folder uses it, so the rules about reading it count. */
function addFolders(folders: Folders, walk: Walk): void {
  for (const folder of folders) if (folder !== ELSEWHERE) addFolder(folder, [folder], walk);
}

function addFolder(target: string, folders: Folders, walk: Walk): void {
  walk.acts.push({ kind: 'file', access: 'fs.read', target, folders, role: 'operand' });
}

function toEntered(written: string): Folders {
  const logical = normalize(written);
  return mayLeadElsewhere(written, logical) ? [logical, ...LOST] : [logical];
}
