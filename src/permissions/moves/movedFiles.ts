import path from 'node:path';
import { toCodeSpan } from '../../base/codeSpan.ts';
import { matchesFile } from '../decide/decide.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import { findGitFolder } from '../repository/gitFolder.ts';
import type { ReadGit } from '../rules/policy.ts';
import { findProtected } from '../rules/protected.ts';
import {
  type Act,
  type CommandAct,
  ELSEWHERE,
  type FileAct,
  type GitMove,
  type GitStep,
  type ShellAnalysis,
} from '../shell/acts.ts';
import { joinWords } from '../shell/words.ts';
import { askGit } from './askGit.ts';
import { findThroughLink } from './broughtLinks.ts';
import { openGit, UnclearMove } from './gitObjects.ts';
import { findGitVerb } from './gitVerb.ts';
import { findMovedNames, type MoveContext } from './movedNames.ts';

/** The most files that are named. */
const FILES = 1000;

/**
 * Adds the files that git commands bring from the repository and that are protected or that a rule
 * may ask about or deny. If that can't be told, the command's words become risky, so that an allow
 * must contain them literally. `started`: when the time for looking began.
 */
export async function addMovedFiles(
  acts: readonly Act[],
  { moves, compound }: Pick<ShellAnalysis, 'moves' | 'compound'>,
  compiled: Evaluation,
  started: number,
): Promise<readonly Act[]> {
  if (!moves?.length) return acts;
  return askGit(compiled, started, (read, signal) =>
    followLine(acts, moves, compound === true, compiled, read, signal),
  );
}

/** What the earlier commands of the line may have changed. */
interface State {
  readonly heads: Map<string, Set<string | undefined>>;
  refs: boolean;
  /** Only what names such as `HEAD`, `-` and `stash@{0}` refer to. */
  relative: boolean;
  index: boolean;
}

async function followLine(
  acts: readonly Act[],
  moves: readonly GitMove[],
  compound: boolean,
  compiled: Evaluation,
  read: ReadGit,
  signal: AbortSignal,
): Promise<readonly Act[]> {
  const changing = acts.filter((act) => act.kind === 'command' && findGitVerb(act) !== undefined);
  const again = compound && changing.length > 1;
  const state: State = { heads: new Map(), refs: again, relative: compound, index: again };
  const found: FileAct[] = [];
  const followed: Act[] = [];
  for (const act of acts) {
    const move =
      act.kind === 'command' && act.tightensOnly !== true && act.doubt === undefined
        ? moves.find(({ words }) => words === (act.inFolder ?? act).words)
        : undefined;
    if (act.kind !== 'command' || move === undefined) {
      followed.push(act);
      if (act.kind === 'command') note(act, state);
      continue;
    }
    const links: string[] = [];
    const why = await follow(move, state, compiled, read, signal, { found, links });
    const doubt = findThroughLink(act, acts, why === undefined ? links : undefined);
    const told = why === undefined ? act : toUnclear(act, why);
    followed.push(doubt === undefined ? told : { ...told, doubt });
    if (why === undefined) noteMove(move, state);
    else state.refs = true;
  }
  return [...followed, ...found];
}

function noteMove({ steps }: GitMove, state: State): void {
  for (const step of steps) {
    state.index = true;
    if (step.how === 'restore') continue;
    // A stash is taken, or another branch is the current one.
    state.relative = true;
    if (step.how === 'checkout' || (step.how === 'reset' && step.to === 'HEAD')) continue;
    state.refs = true;
  }
}

/** Whether a revision is relative to what is current. */
function isRelative(step: GitStep): boolean {
  const revisions = Object.values(step).flat();
  return revisions.some((each) => typeof each === 'string' && /^-$|@|^HEAD/.test(each));
}

/** Notes what a command that brings no files changes. */
function note(act: CommandAct, state: State): void {
  const verb = findGitVerb(act);
  if (verb === undefined) return;
  // What is added to the index is what lies in the work tree.
  if (verb !== 'add' && verb !== 'stage') state.refs = true;
  if (verb !== 'add' && verb !== 'stage') state.index = true;
}

/** What git commands bring. */
interface Found {
  /** The files that a rule may ask about or deny, and those that are protected. */
  readonly found: FileAct[];
  /** The names of links. */
  readonly links: string[];
}

/** Adds what the command brings. Returns why that can't be told. */
async function follow(
  move: GitMove,
  state: State,
  compiled: Evaluation,
  read: ReadGit,
  signal: AbortSignal,
  { found, links }: Found,
): Promise<string | undefined> {
  const { unclear, steps } = move;
  if (unclear === undefined && steps.length === 0) return undefined;
  if (state.refs || (state.relative && steps.some(isRelative)))
    return 'another command of the line changes what its revisions mean';
  for (const folder of move.folders) {
    if (folder === ELSEWHERE) return 'the folder it runs in is unknown';
    try {
      if (findGitFolder(folder) === undefined) continue;
      if (unclear !== undefined) return unclear;
      const { root, names, brought } = await findNames(move, folder, state, compiled, read, signal);
      links.push(...brought);
      found.push(...toActs(names.slice(0, FILES), root));
      if (names.length > FILES) return 'they are too many';
    } catch (error) {
      if (error instanceof UnclearMove) return error.message;
      return "the repository can't be read";
    }
  }
  return undefined;
}

async function findNames(
  { steps }: GitMove,
  folder: string,
  state: State,
  compiled: Evaluation,
  read: ReadGit,
  signal: AbortSignal,
): Promise<{
  readonly root: string;
  readonly names: readonly string[];
  /** The links among them, and those that no rule is about. */
  readonly brought: readonly string[];
}> {
  const { git, head } = await openGit(folder, read, signal);
  const heads = state.heads.get(git.root) ?? new Set([head]);
  state.heads.set(git.root, heads);
  const isRuled = createTest(git.root, compiled);
  const matters = (name: string) => git.links.has(name) || isRuled(name);
  const context: MoveContext = { git, folder, heads, indexSettled: !state.index, matters };
  const names = new Set<string>();
  for (const step of steps) for (const name of await findMovedNames(step, context)) names.add(name);
  const brought = [...names].filter((name) => git.links.has(name));
  return { root: git.root, names: [...names].filter(isRuled), brought };
}

/** Returns whether a file may be asked about or denied. */
function createTest(root: string, compiled: Evaluation): (name: string) => boolean {
  const rules = compiled.fileRules['fs.write'].all.filter(({ rule }) => rule.action !== 'allow');
  const { platform } = compiled.policy;
  return (name) => {
    const file = path.posix.join(root, name);
    if (findProtected(file, compiled.roots) !== undefined) return true;
    return rules.some((rule) => matchesFile(rule, { path: file }, platform));
  };
}

function toActs(names: readonly string[], root: string): readonly FileAct[] {
  return names.map((name) => ({
    kind: 'file',
    access: 'fs.write',
    target: path.posix.join(root, name),
    folders: [root],
    role: 'operand',
  }));
}

function toUnclear(act: CommandAct, why: string): CommandAct {
  return {
    ...act,
    risky: new Set(act.words.keys()),
    why: `Gatehouse can't tell which protected files ${toCodeSpan(joinWords(act.words), 40)} brings, because ${why}. Only a rule with the whole command can allow it.`,
  };
}
