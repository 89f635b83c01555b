import { lstatSync } from 'node:fs';
import path from 'node:path';
import { toCodeSpan } from '../../base/codeSpan.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import { isInWorkspace } from '../decide/outsideFiles.ts';
import { type SubjectResult, toSubjectResult } from '../decide/subjectResult.ts';
import { isBelow, realFolder } from '../patterns/paths.ts';
import { knowsRoot } from '../repository/elsewhere.ts';
import { listAbove, listExcludeFiles } from '../repository/excludeFiles.ts';
import { openGitFolder, resolveFolder } from '../repository/gitFolder.ts';
import { leadsNpmElsewhere, listNpmSettings } from '../repository/npmSettings.ts';
import { type CommandAct, ELSEWHERE } from '../shell/acts.ts';
import { evaluateFile } from './evaluateTouch.ts';

type Shown = { readonly permission: string; readonly target: string };

const NAMES = ['.ignore', '.rgignore', '.fdignore', '.gitignore'];

/**
 * A search reads ignore files, and prints the lines of one that it can't parse. Evaluates those that
 * lie elsewhere, for the folders that the command names and above them. Undefined: no rule is against it.
 */
export function evaluateIgnoreFiles(
  { words, folders }: CommandAct,
  shown: Shown,
  compiled: Evaluation,
): SubjectResult | undefined {
  const operands = words.slice(1).flatMap(({ value }) => (value.startsWith('-') ? [] : [value]));
  for (const cwd of folders ?? []) {
    if (cwd === ELSEWHERE) continue;
    const above = ['.', ...operands].flatMap((operand) => listInside(cwd, operand, compiled));
    for (const folder of new Set(above)) {
      const named = NAMES.map((name) => path.join(folder, name)).filter(isLink);
      const excluding = listLedExcludes(folder, compiled);
      if (excluding === undefined) {
        const why = `Gatehouse can't tell which ignore files ${toCodeSpan(shown.target)} reads.`;
        return toSubjectResult(shown, 'ask', undefined, why);
      }
      for (const target of [...named, ...excluding]) {
        const result = evaluateRead(target, cwd, compiled);
        if (result !== undefined) return result;
      }
    }
  }
  return undefined;
}

/** The exclusions of a repository that lie elsewhere than in its `.git`. Undefined: they can't be told. */
function listLedExcludes(folder: string, compiled: Evaluation): readonly string[] | undefined {
  try {
    const own = `${resolveFolder(folder)}/.git/info/exclude`;
    const led = listExcludeFiles(folder).filter(
      (file) =>
        resolveFolder(file) !== own && lstatSync(file, { throwIfNoEntry: false }) !== undefined,
    );
    const git = led.length === 0 ? undefined : openGitFolder(folder);
    if (git === undefined || isInWorkspace(git.own, compiled) || !knowsRoot(git)) return led;
    // The folder is a work tree of a repository that lies elsewhere.
    return led.filter((file) => !isBelow(resolveFolder(file), resolveFolder(git.common)));
  } catch {
    // No permission, or a folder where a file should be.
    return undefined;
  }
}

/**
 * npm reads the settings of the project even before it prints its version, and with these the files that they name.
 * Undefined: they name none.
 */
export function evaluateNpmSettings(
  { folders }: CommandAct,
  shown: Shown,
  compiled: Evaluation,
): SubjectResult | undefined {
  const ask = (file: string) => {
    const why = `${toCodeSpan(shown.target)} may read or write files that ${toCodeSpan(file)} names.`;
    return toSubjectResult(shown, 'ask', undefined, why);
  };
  for (const cwd of folders ?? []) {
    if (cwd === ELSEWHERE) return ask('.npmrc');
    for (const file of listNpmSettings(cwd, compiled.links)) {
      const linked = isLink(file) ? evaluateRead(file, cwd, compiled) : undefined;
      if (linked !== undefined) return linked;
      if (leadsNpmElsewhere(file)) return ask(file);
    }
  }
  return undefined;
}

/** The first rule against reading a file. */
function evaluateRead(
  target: string,
  cwd: string,
  compiled: Evaluation,
): SubjectResult | undefined {
  const act = {
    kind: 'file',
    access: 'fs.read',
    target,
    folders: [cwd],
    role: 'operand',
  } as const;
  return evaluateFile(act, compiled).find(({ subject }) => subject.decision !== 'allow');
}

/** A folder and those above it in the workspace, as it is written and as it is. */
function listInside(cwd: string, operand: string, compiled: Evaluation): readonly string[] {
  const written = path.resolve(cwd, operand);
  const real = realFolder(path.isAbsolute(operand) ? operand : `${cwd}/${operand}`);
  return [written, real].flatMap(listAbove).filter((folder) => isInWorkspace(folder, compiled));
}

function isLink(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // A part of the path isn't a folder.
    return false;
  }
}
