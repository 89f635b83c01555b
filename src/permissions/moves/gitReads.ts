import path from 'node:path';
import { matchesFile } from '../decide/decide.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import { isInWorkspace } from '../decide/outsideFiles.ts';
import { findHazard } from '../repository/configuration.ts';
import { findGitFolder } from '../repository/gitFolder.ts';
import { listTrackedSecrets } from '../repository/trackedFiles.ts';
import type { CompiledRule } from '../rules/compiledRule.ts';
import type { ReadGit } from '../rules/policy.ts';
import { type Act, type CommandAct, ELSEWHERE, type FileAct } from '../shell/acts.ts';
import { mayBringFiles } from '../sweeps/settled.ts';
import { askGit } from './askGit.ts';
import { openGit } from './gitObjects.ts';
import { findGitVerb } from './gitVerb.ts';
import { listPrinted, type PrintingCommand, toPrintingCommand } from './printedNames.ts';

/**
 * Replaces the guess which files `git diff` and `git show` print by the files that git itself lists:
 * a tracked secret is only asked about if it is among them. Where that can't be told, the guess stays.
 * `started`: when the time for looking began.
 */
export async function addPrintedFiles(
  acts: readonly Act[],
  compiled: Evaluation,
  started: number,
): Promise<readonly Act[]> {
  const commands = acts.filter(mayPrint);
  if (commands.length === 0 || commands.length > COMMANDS || acts.some(mayChange)) return acts;
  const printing = commands.flatMap((act) => toPrinting(act, acts, compiled) ?? []);
  if (printing.length === 0) return acts;
  return askGit(compiled, started, async (read, signal) => {
    let followed = acts;
    for (const each of printing) {
      const files = await findPrinted(each, compiled, read, signal);
      if (files !== undefined) followed = replace(followed, each.act, files);
    }
    return followed;
  });
}

/** The most commands of a line about which git is asked. */
const COMMANDS = 20;

function mayPrint(act: Act): act is CommandAct {
  return (
    act.kind === 'command' &&
    act.tightensOnly !== true &&
    act.doubt === undefined &&
    toPrintingCommand((act.inFolder ?? act).words) !== undefined
  );
}

interface Printing {
  readonly act: CommandAct;
  readonly command: PrintingCommand;
  readonly folder: string;
}

/** Undefined: it is no such command, or no file that it may print matters. */
function toPrinting(
  act: CommandAct,
  acts: readonly Act[],
  compiled: Evaluation,
): Printing | undefined {
  const [folder = ELSEWHERE, ...others] = act.folders ?? [];
  const command = toPrintingCommand((act.inFolder ?? act).words);
  if (command === undefined || folder === ELSEWHERE || others.length > 0) return undefined;
  const matters = acts.some((each) => isGuess(each, act)) || holdsMore(folder, compiled);
  return matters ? { act, command, folder } : undefined;
}

/** A sweep that stands for files that the command may print. */
function isGuess(act: Act, command: CommandAct): boolean {
  const { words } = command.inFolder ?? command;
  return act.kind === 'file' && act.past === true && act.command === words;
}

/** Whether the repository has secrets, or files outside the workspace. */
function holdsMore(folder: string, compiled: Evaluation): boolean {
  try {
    const git = findGitFolder(folder);
    if (git === undefined) return false;
    return listTrackedSecrets(git).length > 0 || !isInWorkspace(git.root, compiled);
  } catch {
    // The repository can't be read, so the evaluation asks.
    return false;
  }
}

/** Whether another command of the line may change what git lists. */
function mayChange(act: Act): boolean {
  if (act.kind === 'host') return false;
  if (act.kind === 'file') return act.access === 'fs.write' && act.target !== '/dev/null';
  return mayBringFiles(act) || findGitVerb(act) !== undefined;
}

/** The printed files that an ask or deny rule matches. Undefined: that can't be told. */
async function findPrinted(
  { command, folder }: Printing,
  compiled: Evaluation,
  read: ReadGit,
  signal: AbortSignal,
): Promise<readonly FileAct[] | undefined> {
  try {
    const own = findGitFolder(folder);
    // Listing files must not run what the repository configures.
    if (own === undefined || findHazard(own) !== undefined) return undefined;
    const { git, here } = await openGit(folder, read, signal);
    const names = new Set(await listPrinted(command, folder, here));
    const files = [...names].map((name) => path.posix.join(git.root, name));
    const outside = !isInWorkspace(git.root, compiled);
    if (outside && !files.every((file) => isInWorkspace(file, compiled))) return undefined;
    return files.flatMap((file) => toAct(file, folder, compiled) ?? []);
  } catch {
    // No permission, no such revision, or a folder where a file should be: the guess stays.
    return undefined;
  }
}

function toAct(target: string, folder: string, compiled: Evaluation): FileAct | undefined {
  const { platform } = compiled.policy;
  const matters = compiled.fileRules['fs.read'].all.some(
    (rule) => counts(rule) && matchesFile(rule, { path: target }, platform),
  );
  if (!matters) return undefined;
  return { kind: 'file', access: 'fs.read', target, folders: [folder], role: 'operand' };
}

/** The shipped ask for everything outside the workspace is about single files. */
function counts({ rule }: CompiledRule): boolean {
  if (rule.action === 'allow') return false;
  return rule.origin?.layer !== 'default' || rule.pattern !== '**';
}

function replace(acts: readonly Act[], act: CommandAct, files: readonly FileAct[]): readonly Act[] {
  const kept = acts.filter((each) => !isGuess(each, act));
  const listed = { ...act, listed: true } as const;
  return [...kept.map((each) => (each === act ? listed : each)), ...files];
}
