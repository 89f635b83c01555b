import type { Instructions } from './instructions.ts';
import type { DecideRead } from './ownNames.ts';
import type { SkillIndex } from './skills.ts';

/** What the user and the project tell every agent: instructions, and skills to load. */
export interface Guidance {
  readonly instructions: Instructions;
  readonly skills: SkillIndex;
}

/** Where a session looks for them. */
export interface GuidanceFolders {
  /** The session's root and the other open folders, absolute; empty while the workspace is untrusted. */
  readonly workspace: readonly string[];
  /** The user's home folder, absolute. */
  readonly home: string;
  /** The user's configuration folder of Gatehouse, absolute. */
  readonly config: string;
  /** More folders of skills, as the user's setting names them: absolute, or below `~/`. */
  readonly skillPaths?: readonly string[];
  /** Asked about files of the workspace, not about the user's own. */
  readonly decideRead: DecideRead;
}

/** A file that does not count, with the reason for the user. */
export interface LeftOut {
  readonly file: string;
  readonly why: string;
}

export const NO_GUIDANCE: Guidance = {
  instructions: { files: [], leftOut: [] },
  skills: { skills: [], leftOut: [] },
};

/** Reads everything once: what a session is told stays the same while it is open (spec CS-37). */
export async function findGuidance(folders: GuidanceFolders): Promise<Guidance> {
  const [{ findInstructions }, { findSkills }] = await Promise.all([
    import('./instructions.ts'),
    import('./skills.ts'),
  ]);
  return { instructions: findInstructions(folders), skills: await findSkills(folders) };
}
