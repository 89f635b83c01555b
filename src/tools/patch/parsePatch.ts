import { parsePatch as parseUnified, type StructuredPatch } from 'diff';
import { getMessage } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';

/** What a patch does to one file. Paths are as written, without the `a/` and `b/` of Git. */
export interface FilePatch {
  /** Absent: the file is created. */
  readonly oldPath?: string;
  /** Absent: the file is deleted. Differs from `oldPath`: the file is renamed. */
  readonly newPath?: string;
  readonly hunks: readonly PatchHunk[];
}

export interface PatchHunk {
  /** The first line in the old file, 1-based, as written. */
  readonly oldStart: number;
  /** The lines that must be there, and those that replace them. */
  readonly oldLines: readonly PatchLine[];
  readonly newLines: readonly PatchLine[];
}

export interface PatchLine {
  /** Without its line end. */
  readonly text: string;
  /** A context line, which keeps its exact bytes. */
  readonly kept: boolean;
  /** The line is the file's last one and has no line end. */
  readonly ends: boolean;
}

/** Parses a unified diff of one or more files. The error says which line is wrong. */
export function parsePatch(text: string): Outcome<readonly FilePatch[]> {
  if (/^\*\*\* Begin Patch/m.test(text)) return failure(`${NOT_UNIFIED} ${EXAMPLE}`);
  try {
    const parsed = parseUnified(text).filter(isFile);
    const fault = findFault(text, parsed);
    if (fault !== undefined) return failure(fault);
    const files = parsed.map(toFilePatch);
    const twice = findTwice(files);
    if (twice === undefined) return success(files);
    return failure(`The patch names ${twice} twice. Put all changes of a file into one section.`);
  } catch (error) {
    return failure(`The patch is not a valid unified diff: ${getMessage(error)}. ${EXAMPLE}`);
  }
}

const NOT_UNIFIED = 'The patch is not a unified diff.';
const EXAMPLE =
  'Each file begins with "--- a/path" and "+++ b/path" (/dev/null for a file that does not exist before or after), each hunk with "@@ -line,count +line,count @@", and each line of a hunk with " ", "-" or "+".';

/** Text before, between and after the files is ignored, as `patch` does. */
function isFile({ oldFileName, newFileName, hunks }: StructuredPatch): boolean {
  return oldFileName !== undefined || newFileName !== undefined || hunks.length > 0;
}

function findFault(text: string, files: readonly StructuredPatch[]): string | undefined {
  if (files.length === 0) return `${NOT_UNIFIED} ${EXAMPLE}`;
  for (const file of files) {
    const fault = findFileFault(file);
    if (fault !== undefined) return fault;
  }
  // The parser skips what it does not recognize, so a line that no hunk counts would be lost.
  const counted = files.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines));
  const headers = files.filter(({ newHeader }) => newHeader !== undefined).length;
  for (const sign of ['+', '-']) {
    const all = text.split('\n').filter((line) => line.startsWith(sign)).length;
    const known = counted.filter((line) => line.startsWith(sign)).length + headers;
    if (all !== known) {
      return `The patch has ${all - known} lines that begin with "${sign}" outside of its hunks. Correct the line counts in the "@@" lines.`;
    }
  }
  return undefined;
}

function findFileFault(file: StructuredPatch): string | undefined {
  const { oldFileName, newFileName, hunks, isBinary, isCopy, isRename } = file;
  if (oldFileName === undefined || newFileName === undefined) {
    return `A hunk has no file. ${EXAMPLE}`;
  }
  const name = toName(newFileName === MISSING ? oldFileName : newFileName, file);
  if (name === '') return `A file of the patch has no name. ${EXAMPLE}`;
  if (oldFileName === MISSING && newFileName === MISSING) {
    return 'A file of the patch is /dev/null before and after.';
  }
  if (isBinary) return `The patch of ${name} is binary. Only text can be patched.`;
  if (isCopy) return `The patch copies ${name}. Create it with all of its lines instead.`;
  const moves = isRename || file.isCreate || file.isDelete;
  if (hunks.length > 0 || moves) return undefined;
  return `The patch changes nothing in ${name}. File modes cannot be changed.`;
}

const MISSING = '/dev/null';

function toFilePatch(file: StructuredPatch): FilePatch {
  const { oldFileName = MISSING, newFileName = MISSING, hunks, isCreate, isDelete } = file;
  const created = oldFileName === MISSING || isCreate === true;
  const deleted = newFileName === MISSING || isDelete === true;
  return {
    ...(!created && { oldPath: toName(oldFileName, file) }),
    ...(!deleted && { newPath: toName(newFileName, file) }),
    hunks: hunks.map(({ oldStart, lines }) => ({ oldStart, ...toSides(lines) })),
  };
}

/** Git's prefixes are dropped if the file's other name agrees with that. */
function toName(name: string, { oldFileName, newFileName, isGit }: StructuredPatch): string {
  const prefixed = isGit === true || (hasPrefix(oldFileName, 'a/') && hasPrefix(newFileName, 'b/'));
  return prefixed ? name.replace(/^[ab]\//, '') : name;
}

function hasPrefix(name: string | undefined, prefix: string): boolean {
  return name === MISSING || name?.startsWith(prefix) === true;
}

function toSides(lines: readonly string[]): Pick<PatchHunk, 'oldLines' | 'newLines'> {
  const oldLines: PatchLine[] = [];
  const newLines: PatchLine[] = [];
  for (const [at, line] of lines.entries()) {
    const sign = line[0] ?? ' ';
    if (sign === '\\') continue;
    const ends = lines[at + 1]?.startsWith('\\') === true;
    const entry = { text: line.slice(1), kept: sign === ' ', ends };
    if (sign !== '+') oldLines.push(entry);
    if (sign !== '-') newLines.push(entry);
  }
  return { oldLines, newLines };
}

function findTwice(files: readonly FilePatch[]): string | undefined {
  const seen = new Set<string>();
  for (const { oldPath, newPath } of files) {
    for (const path of new Set([oldPath, newPath])) {
      if (path === undefined) continue;
      if (seen.has(path)) return path;
      seen.add(path);
    }
  }
  return undefined;
}
