import { homedir } from 'node:os';
import { mayLeadElsewhere } from '../../disk/enterFolder.ts';
import { findGitFolder, readText } from '../../repository/gitFolder.ts';
import { readHead } from '../../repository/head.ts';
import { ELSEWHERE, type ShellWord } from '../acts.ts';
import { describeUnknownFile } from '../doubts.ts';
import { type Flow, type Folders, LOST, move, normalize, toFlow } from '../folders.ts';
import { type GitInFolder, readFolderOption } from '../git/folderOption.ts';
import { type VariableScope, withFolder, withValue } from '../variableScope.ts';
import { spend, type Walk } from '../walkState.ts';
import { joinWords } from '../words.ts';

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
  const unseen = words.find(isUnseen);
  if (unseen !== undefined) walk.doubts.add(describeUnknownFile(unseen.value));
  return flow;
}

/** The home of another user, or an option: where they lead isn't followed, so no rule about it could apply. */
function isUnseen({ value, tilde }: ShellWord): boolean {
  return tilde === true ? !/^~(?:\/|$)/.test(value) : /^-[a-zA-Z]/.test(value);
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
  const git = readFolderOption(words, folders, toEntered);
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

/** A path that the shell neither splits nor expands. */
const PLAIN = /^\/[\w./-]*$/;
const TOP = '$(git rev-parse --show-toplevel)';
const HEAD = '$(git rev-parse HEAD)';

/**
 * The scope with what some words print that only depends on the folder: `$PWD`, `$(pwd)` and two forms
 * of `git rev-parse`. A git that fails prints nothing, or `HEAD`.
 */
export function withOutputs(
  walk: Walk,
  items: readonly { readonly text: string }[],
  folders: Folders,
): VariableScope {
  const { scope } = walk;
  const names = (word: string) => items.some(({ text }) => text.includes(word));
  // Without variables, words are read faster.
  const named = names('PWD') ? withFolder(scope, folders) : scope;
  const [folder = ELSEWHERE, ...others] = folders;
  if (!PLAIN.test(folder) || others.length > 0) return named;
  const printed = names('$(pwd)') ? withValue(named, '$(pwd)', { texts: [folder] }) : named;
  if (!names('$(git rev-parse ') || mayChangeTop(walk)) return printed;
  const top = names(TOP) ? findTop(folder) : undefined;
  const topped = top === undefined ? printed : withValue(printed, TOP, { texts: [top, ''] });
  const head = names(HEAD) ? findHead(folder) : undefined;
  return head === undefined ? topped : withValue(topped, HEAD, { texts: [head, 'HEAD', ''] });
}

/** Commands that leave repositories as they are. */
const KEEPS =
  /^(?:cd|pwd|echo|printf|set|ls|test|\[|git (?:rev-parse|status|log|diff|show))(?: |$)/;

/** Whether another command of the line may make a repository, or change one. In a loop, each may run before. */
function mayChangeTop({ compound, acts }: Walk): boolean {
  return (
    compound || acts.some((act) => act.kind === 'command' && !KEEPS.test(joinWords(act.words)))
  );
}

/** The folder that git prints as the top of the work tree. Undefined: it can't be told. */
export function findTop(folder: string): string | undefined {
  try {
    const git = findGitFolder(folder);
    if (git === undefined || git.root === git.own || !PLAIN.test(git.root)) return undefined;
    // A setting may name another work tree.
    const files = [git.own, git.common].flatMap((each) => [
      `${each}/config`,
      `${each}/config.worktree`,
    ]);
    return files.some((file) => /worktree|include/i.test(readText(file) ?? ''))
      ? undefined
      : git.root;
  } catch {
    // No permission, or a folder where a file should be.
    return undefined;
  }
}

/** The commit that git prints as HEAD. Undefined: it can't be told. */
function findHead(folder: string): string | undefined {
  try {
    const git = findTop(folder) === undefined ? undefined : findGitFolder(folder);
    return git && readHead(git);
  } catch {
    // No permission, or a folder where a file should be.
    return undefined;
  }
}

function toEntered(written: string): Folders {
  const logical = normalize(written);
  return mayLeadElsewhere(written, logical) ? [logical, ...LOST] : [logical];
}
