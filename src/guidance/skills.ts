import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import path from 'node:path';
import { isInFolder } from '../base/disk/insideFolder.ts';
import { createStatCache } from '../base/disk/statCache.ts';
import { getCode, getMessage } from '../base/faults.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';
import { toHiddenNote } from '../base/text/invisible.ts';
import { KB } from '../base/units.ts';
import { foldersUp, toReal } from './foldersUp.ts';
import type { GuidanceFolders, LeftOut } from './guidance.ts';
import { type DecideRead, findSkillFault } from './ownNames.ts';
import { isSkillName, readSkill, type SkillText } from './skillFile.ts';

/** The skills of a session; the first definition of a name wins (spec CS-38). */
export interface SkillIndex {
  readonly skills: readonly Skill[];
  /** What does not count, and duplicates, for the user (spec CS-39). */
  readonly leftOut: readonly LeftOut[];
}

export interface Skill {
  readonly name: string;
  readonly description: string;
  /** Real path. */
  readonly file: string;
  /** The project's, not the user's own. */
  readonly theirs?: true;
}

/** Entries of one folder that are looked at, and skills of one session. */
const ENTRIES = 1000;
const SKILLS = 200;

const IN_FOLDERS = [
  ['.agents', 'skills'],
  ['.claude', 'skills'],
] as const;

interface SkillFolder {
  readonly folder: string;
  /** A link may lead anywhere below this folder. Absent: the folder is the user's own. */
  readonly within?: string;
}

export async function findSkills(folders: GuidanceFolders): Promise<SkillIndex> {
  const skills = new Map<string, Skill>();
  const leftOut: LeftOut[] = [];
  const seen = new Set<string>();
  for (const each of [...listFolders(folders), ...listPaths(folders, leftOut)]) {
    const real = toReal(each.folder);
    if (real === undefined || seen.has(real)) continue;
    seen.add(real);
    const top = each.within === undefined ? undefined : (toReal(each.within) ?? each.within);
    if (top !== undefined && !isInFolder(real, top)) {
      const why = `It is a link to ${real}, which lies outside of the project.`;
      leftOut.push({ file: each.folder, why });
    } else {
      const { decideRead } = folders;
      await readFolder(real, { skills, leftOut, ...(top !== undefined && { decideRead }) });
    }
  }
  return { skills: [...skills.values()], leftOut };
}

/** The folders of the setting, which come last (spec CS-38). */
function listPaths({ skillPaths = [], home }: GuidanceFolders, leftOut: LeftOut[]) {
  return skillPaths.flatMap((each): readonly SkillFolder[] => {
    const folder = each.replace(/^~(?=[\\/]|$)/, home);
    const why = whyNoFolder(folder);
    if (why === undefined) return [{ folder }];
    leftOut.push({ file: each, why });
    return [];
  });
}

function whyNoFolder(folder: string): string | undefined {
  if (!path.isAbsolute(folder)) {
    return 'A path of gatehouse.skills.paths must be absolute or begin with ~/.';
  }
  return toReal(folder) === undefined
    ? 'gatehouse.skills.paths names it, and it is not there.'
    : undefined;
}

/** The nearest first: the project's from the session's root upward, then the user's. */
function listFolders({ workspace, home }: GuidanceFolders): readonly SkillFolder[] {
  const [root, ...others] = workspace;
  const up = root === undefined ? [] : foldersUp(root, home).folders;
  const inFolder = (folder: string, within?: string) =>
    IN_FOLDERS.map((names): SkillFolder => {
      return { folder: path.join(folder, ...names), ...(within !== undefined && { within }) };
    });
  return [
    ...up.toReversed().flatMap((folder) => inFolder(folder, up[0])),
    ...others.flatMap((folder) => inFolder(folder, folder)),
    ...inFolder(home),
  ];
}

interface Found {
  readonly skills: Map<string, Skill>;
  readonly leftOut: LeftOut[];
  /** Absent in the user's own folders. */
  readonly decideRead?: DecideRead;
}

async function readFolder(folder: string, found: Found): Promise<void> {
  for (const entry of await listEntries(folder, found.leftOut)) {
    const file = toSkillFile(folder, entry);
    if (file === undefined) continue;
    const read = readIndexed(file, found.decideRead);
    if (read.ok) {
      const { hidden } = read.data;
      const theirs = found.decideRead === undefined ? {} : { theirs: true as const };
      addSkill({ ...read.data, file, ...theirs }, found);
      if (hidden > 0) found.leftOut.push({ file, why: toHiddenNote(hidden) });
    } else if (read.error !== MISSING) found.leftOut.push({ file, why: read.error });
  }
}

function addSkill({ name, description, file, theirs }: Skill, { skills, leftOut }: Found): void {
  const nearer = skills.get(name);
  if (nearer !== undefined) {
    leftOut.push({ file, why: `${nearer.file} has the same name, "${name}", and is nearer.` });
  } else if (skills.size >= SKILLS) {
    leftOut.push({ file, why: `A session has ${SKILLS} skills at most.` });
  } else skills.set(name, { name, description, file, ...(theirs && { theirs }) });
}

/** Sorted, so that the index is the same each time. */
async function listEntries(folder: string, leftOut: LeftOut[]): Promise<readonly Dirent[]> {
  const entries: Dirent[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      if (entries.length === ENTRIES) {
        leftOut.push({ file: folder, why: `Only ${ENTRIES} of its entries are looked at.` });
        break;
      }
      entries.push(entry);
    }
  } catch (fault) {
    const code = getCode(fault);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') {
      leftOut.push({ file: folder, why: `It can't be listed: ${getMessage(fault)}` });
    }
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** `<name>/SKILL.md`, or `<name>.md` (spec CS-47). Other files lie in such folders, too. */
function toSkillFile(folder: string, entry: Dirent): string | undefined {
  const file = path.join(folder, entry.name);
  const isFlat = entry.name.endsWith('.md') && !entry.isDirectory();
  const name = isFlat ? entry.name.slice(0, -'.md'.length) : entry.name;
  if (!isSkillName(name)) return undefined;
  if (isFlat) return file;
  return entry.isDirectory() || entry.isSymbolicLink() ? path.join(file, 'SKILL.md') : undefined;
}

const MISSING = 'There is no such file.';

const parsed = createStatCache<Outcome<SkillText>>((file) => readSkill(file), {
  kept: 512,
  keptBytes: 128 * KB,
});

/** Links are never followed (spec CS-47): neither that of the file nor that of its folder. */
function readIndexed(file: string, decideRead: DecideRead | undefined): Outcome<SkillText> {
  const real = toReal(file);
  if (real === undefined) return failure(MISSING);
  if (real !== file) return failure(`It is a link to ${real}, and links are not followed.`);
  const fault = decideRead && findSkillFault(file, decideRead);
  if (fault !== undefined) return failure(fault);
  try {
    return parsed.get(file) ?? failure(MISSING);
  } catch (fault) {
    return failure(`It can't be read: ${getMessage(fault)}`);
  }
}

/** The skill as the model gets it (spec CS-41). Checks again where the file leads, and the rules. */
export function loadSkill({ name, file, theirs }: Skill, decideRead: DecideRead): Outcome<string> {
  const read = readIndexed(file, theirs && decideRead);
  if (!read.ok) return failure(`The skill "${name}" could not be read. ${read.error}`);
  const body = read.data.body.replaceAll(/<\/skill_content/gi, '<\\/skill_content');
  const folder = `Its files lie in ${path.dirname(file)}.`;
  return success(`<skill_content name="${name}">\n${folder}\n\n${body}\n</skill_content>`);
}
