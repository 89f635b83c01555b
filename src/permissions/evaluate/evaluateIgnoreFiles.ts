import { lstatSync } from 'node:fs';
import path from 'node:path';
import { toCodeSpan } from '../../base/codeSpan.ts';
import { isInFolder } from '../../base/disk/insideFolder.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import { type SubjectResult, toSubjectResult } from '../decide/subjectResult.ts';
import { leadsNpmElsewhere, listNpmSettings } from '../repository/npmSettings.ts';
import { type CommandAct, ELSEWHERE } from '../shell/acts.ts';
import { evaluateFile } from './evaluateTouch.ts';

const NAMES = ['.ignore', '.rgignore', '.fdignore', '.gitignore'];

/**
 * A search reads ignore files, and prints the lines of one that it can't parse. Evaluates those that
 * are links, in the folders that the command names and above them. Undefined: no rule is against it.
 */
export function evaluateIgnoreFiles(
  { words, folders }: CommandAct,
  compiled: Evaluation,
): SubjectResult | undefined {
  const operands = words.slice(1).flatMap(({ value }) => (value.startsWith('-') ? [] : [value]));
  for (const cwd of folders ?? []) {
    if (cwd === ELSEWHERE) continue;
    const named = new Set(['.', ...operands].flatMap((operand) => listAbove(cwd, operand)));
    for (const target of named) {
      const result = evaluateLink(target, cwd, compiled);
      if (result !== undefined) return result;
    }
  }
  return undefined;
}

/**
 * npm reads the settings of the project even before it prints its version, and with these the files that they name.
 * Undefined: they name none.
 */
export function evaluateNpmSettings(
  { folders }: CommandAct,
  shown: { readonly permission: string; readonly target: string },
  compiled: Evaluation,
): SubjectResult | undefined {
  const ask = (file: string) => {
    const why = `${toCodeSpan(shown.target)} may read or write files that ${toCodeSpan(file)} names.`;
    return toSubjectResult(shown, 'ask', undefined, why);
  };
  for (const cwd of folders ?? []) {
    if (cwd === ELSEWHERE) return ask('.npmrc');
    for (const file of listNpmSettings(cwd, compiled.links)) {
      const linked = evaluateLink(file, cwd, compiled);
      if (linked !== undefined) return linked;
      if (leadsNpmElsewhere(file)) return ask(file);
    }
  }
  return undefined;
}

/** The first rule against reading a file, if that is a link. */
function evaluateLink(
  target: string,
  cwd: string,
  compiled: Evaluation,
): SubjectResult | undefined {
  if (!isLink(target)) return undefined;
  const act = {
    kind: 'file',
    access: 'fs.read',
    target,
    folders: [cwd],
    role: 'operand',
  } as const;
  return evaluateFile(act, compiled).find(({ subject }) => subject.decision !== 'allow');
}

/** The ignore files in a folder below `cwd` and in those between them; nothing if it is elsewhere. */
function listAbove(cwd: string, operand: string): readonly string[] {
  const named = path.resolve(cwd, operand);
  if (!isInFolder(named, cwd)) return [];
  const parts = path.relative(cwd, named).split(path.sep);
  const folders = parts.map((_, index) => path.join(cwd, ...parts.slice(0, index + 1)));
  return [cwd, ...folders].flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
}

function isLink(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // A part of the path isn't a folder.
    return false;
  }
}
