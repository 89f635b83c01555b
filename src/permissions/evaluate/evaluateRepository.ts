import path from 'node:path';
import { toCodeSpan } from '../../base/codeSpan.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import { isInWorkspace } from '../decide/outsideFiles.ts';
import { type SubjectResult, toSubjectResult } from '../decide/subjectResult.ts';
import { isBelow, type LinkCache, realFolder } from '../patterns/paths.ts';
import { findHazard, findProgram } from '../repository/configuration.ts';
import { listElsewhere } from '../repository/elsewhere.ts';
import { findGitFolder, type GitFolder } from '../repository/gitFolder.ts';
import { hasReplacements } from '../repository/head.ts';
import { listBehindLinks, readsBehindLinks } from '../repository/linkedFolders.ts';
import { listsPastSubmodules, type Printed, toPrinted } from '../repository/printed.ts';
import { listPrintedPaths } from '../repository/printedPaths.ts';
import { findLogWithUrl, printsReflog } from '../repository/reflog.ts';
import { listTrackedSecrets } from '../repository/trackedFiles.ts';
import { type CommandAct, ELSEWHERE } from '../shell/acts.ts';
import { quoteWord } from '../shell/words.ts';
import { toOfferedLine } from '../sweeps/offeredLine.ts';
import { evaluateFile } from './evaluateTouch.ts';

/**
 * What a git command that a shipped rule allows may do because of the repository that it runs in:
 * run a program by its configuration, or print a tracked file that a rule protects. Undefined:
 * neither.
 */
export function evaluateRepository(
  act: CommandAct,
  shown: { readonly permission: string; readonly target: string },
  compiled: Evaluation,
): SubjectResult | undefined {
  const { words, folders, inFolder, listed } = act;
  if (folders === undefined) return undefined;
  const values = (inFolder?.words ?? words).slice(1).map(({ value }) => value);
  if (listsPastSubmodules(values)) {
    const text = `${toCodeSpan(shown.target)} may print commits of repositories that Gatehouse doesn't know.`;
    return toSubjectResult(shown, 'ask', undefined, text);
  }
  const printed = listed === true ? undefined : toPrinted(values);
  for (const folder of folders) {
    const why = `Gatehouse can't tell which repository ${toCodeSpan(shown.target)} reads.`;
    if (folder === ELSEWHERE) return toSubjectResult(shown, 'ask', undefined, why);
    if (inFolder !== undefined && !isInWorkspace(folder, compiled)) {
      const text = `${toCodeSpan(shown.target)} reads a repository outside the workspace.`;
      return toSubjectResult(shown, 'ask', undefined, text);
    }
    const git = findReadable(folder, compiled);
    if (git === 'unreadable') return toSubjectResult(shown, 'ask', undefined, why);
    if (git === undefined) continue;
    if (git.hazard !== undefined) {
      const text = `The repository's configuration may run a program, read other files or show a password, because of ${git.hazard}.`;
      return toSubjectResult(shown, 'ask', undefined, text);
    }
    const behind = readsBehindLinks(values) ? listBehindLinks(git) : [];
    const asked = findAgainst([...git.elsewhere, ...behind], folder, compiled);
    if (asked !== undefined) return asked;
    const outside = listed === true ? undefined : findOutside(git, act, values, folder, compiled);
    if (outside !== undefined) return outside;
    const log = printsReflog(values) ? findLog(git) : undefined;
    if (log !== undefined) {
      const text = `${toCodeSpan(shown.target)} may show a password: ${log} holds a URL with a user, or can't be read.`;
      return toSubjectResult(shown, 'ask', undefined, text);
    }
    const secret = printed === undefined ? undefined : findTracked(git, folder, printed, compiled);
    if (secret !== undefined) return secret;
  }
  return undefined;
}

/**
 * What a git command that a wildcard of the user's allows may run because of a repository inside the
 * workspace: one that was unpacked or copied there may have a configuration and hooks of its own.
 * Those of the workspace itself are the user's. Undefined: nothing.
 */
export function evaluateNested(
  { words, folders, inFolder }: CommandAct,
  shown: { readonly permission: string; readonly target: string },
  compiled: Evaluation,
): SubjectResult | undefined {
  const [, sub = ''] = (inFolder?.words ?? words).map(({ value }) => value);
  if (CREATES.has(sub)) return undefined;
  for (const folder of folders ?? []) {
    const program = folder === ELSEWHERE ? undefined : findNestedProgram(folder, compiled);
    if (program === undefined) continue;
    const text = `${toCodeSpan(shown.target)} runs in a repository of its own, which may run a program because of ${program}. Only a rule without wildcards can allow it.`;
    return toSubjectResult(shown, 'ask', undefined, text);
  }
  return undefined;
}

/** Subcommands that print or write what commits hold, or search it. */
const READS_OBJECTS = new Set(
  `annotate archive blame cat-file checkout checkout-index cherry-pick diff diff-files diff-index diff-tree difftool
  fast-export format-patch grep log merge pull range-diff read-tree rebase reflog reset restore show stash switch
  whatchanged`.split(/\s+/),
);

/**
 * A git command that reads files of commits, whose names tell nothing where the repository replaces objects. Undefined:
 * it is no such command, or nothing is replaced.
 */
export function evaluateReplaced(
  { words, folders, inFolder }: CommandAct,
  shown: { readonly permission: string; readonly target: string },
  compiled: Evaluation,
): SubjectResult | undefined {
  const values = (inFolder?.words ?? words).slice(1).map(({ value }) => value);
  const sub = values.find((value) => !value.startsWith('-')) ?? '';
  if (!READS_OBJECTS.has(sub) || !compiled.tightensFiles) return undefined;
  const isReplacing = (folder: string) => folder !== ELSEWHERE && replaces(folder, compiled);
  if (folders?.some(isReplacing) !== true) return undefined;
  const text = `The repository replaces objects by others (\`git replace -l\`), so ${toCodeSpan(shown.target)} may read other files than it names.`;
  return toSubjectResult(shown, 'ask', undefined, text);
}

const replaces = onceADecision((folder, { links }): boolean => {
  try {
    const git = findGitFolder(folder, links);
    return git !== undefined && hasReplacements(git);
  } catch {
    // No permission, or a folder where a file should be: git may still be able to read it.
    return true;
  }
});

/** Subcommands that use no repository that is there. */
const CREATES: ReadonlySet<string> = new Set(['clone', 'init', 'version', 'help', '--version']);

const findNestedProgram = onceADecision((folder, compiled): string | undefined => {
  try {
    const git = findGitFolder(folder, compiled.links);
    if (git === undefined || !isInWorkspace(git.root, compiled)) return undefined;
    // A worktree, or a submodule, of the workspace's own repository.
    const folders = [git.own, git.common].map((folder) => realFolder(folder));
    // A folder that only names the workspace's own as its common one has settings of its own.
    const isOwn = compiled.roots.workspace.some(
      (root) => git.root === root || folders.every((each) => isBelow(each, `${root}/.git`)),
    );
    return isOwn ? undefined : findProgram(git);
  } catch {
    // No permission, or a folder where a file should be: git may still be able to read it.
    return "a configuration that Gatehouse can't read";
  }
});

type Found = GitFolder & {
  readonly hazard: string | undefined;
  readonly elsewhere: readonly string[];
};

const findReadable = onceADecision((folder, { links }): Found | 'unreadable' | undefined => {
  try {
    const git = findGitFolder(folder, links);
    if (git === undefined) return undefined;
    return { ...git, hazard: findHazard(git), elsewhere: listElsewhere(git, links) };
  } catch {
    // No permission, or a folder where a file should be: git may still be able to read it.
    return 'unreadable';
  }
});

/** Looks at a folder once for each decision, however many git commands a line runs there. */
function onceADecision<Value>(
  look: (folder: string, compiled: Evaluation) => Value,
): (folder: string, compiled: Evaluation) => Value {
  // Each decision has link caches of its own.
  const decisions = new WeakMap<LinkCache, Map<string, Value>>();
  return (folder, compiled) => {
    const known = decisions.get(compiled.links) ?? new Map<string, Value>();
    decisions.set(compiled.links, known);
    if (known.has(folder)) return known.get(folder) as Value;
    const value = look(folder, compiled);
    known.set(folder, value);
    return value;
  };
}

function findTracked(
  git: GitFolder,
  folder: string,
  printed: Printed,
  compiled: Evaluation,
): SubjectResult | undefined {
  const here = realFolder(folder);
  const targets = listTrackedSecrets(git).flatMap(({ name, id }) => {
    const target = `${git.root}/${name}`;
    return printed.mayInclude(target, here, git.root, id) ? [target] : [];
  });
  return findAgainst(targets, folder, compiled);
}

/** The first log that `git reflog` shouldn't print. */
function findLog(git: GitFolder): string | undefined {
  try {
    const log = findLogWithUrl(git);
    return log === undefined ? undefined : toCodeSpan(path.relative(git.root, log));
  } catch {
    // No permission, or a file where a folder should be.
    return 'a log of the repository';
  }
}

/** In a folder of a larger repository, git also prints files outside the workspace. */
function findOutside(
  { root }: GitFolder,
  { words, inFolder, folders = [], offers }: CommandAct,
  values: readonly string[],
  folder: string,
  compiled: Evaluation,
): SubjectResult | undefined {
  if (isInWorkspace(root, compiled)) return undefined;
  const here = realFolder(folder);
  const list = (given: readonly string[]) =>
    listPrintedPaths(given, here, root).filter((each) => !isInWorkspace(each, compiled));
  const result = findAgainst(list(values), folder, compiled);
  if (result === undefined) return undefined;
  const written = words.map(({ value }) => quoteWord(value)).join(' ');
  const prints = `${toCodeSpan(written)} may print files of the repository ${toCodeSpan(root)}, which reaches beyond the workspace.`;
  const restricted = !values.includes('--') && list([...values, ...HERE]).length === 0;
  const own = [...(inFolder?.words ?? words), ...HERE.map((value) => ({ value, literal: true }))];
  const instead = restricted
    ? toOfferedLine(own, { folders, ...(offers && { offers }) }, compiled)
    : undefined;
  if (instead === undefined) return { ...result, why: prints };
  const advice = `To print only what lies in this folder, run ${toCodeSpan(instead, Number.POSITIVE_INFINITY)}.`;
  return { ...result, why: `${prints} ${advice}`, instead };
}

const HERE = ['--', '.'] as const;

/** The first of the files that a rule is against reading. */
function findAgainst(
  targets: readonly string[],
  folder: string,
  compiled: Evaluation,
): SubjectResult | undefined {
  for (const target of targets) {
    const act = {
      kind: 'file',
      access: 'fs.read',
      target,
      folders: [folder],
      role: 'operand',
    } as const;
    const result = evaluateFile(act, compiled).find(({ subject }) => subject.decision !== 'allow');
    if (result !== undefined) return result;
  }
  return undefined;
}
