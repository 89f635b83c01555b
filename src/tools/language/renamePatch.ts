import { createHash } from 'node:crypto';
import { createTwoFilesPatch } from 'diff';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type {
  CodeEdit,
  CodePosition,
  LanguageAnswer,
  RenamedFile,
} from '../../base/tools/languageQuery.ts';
import { KB } from '../../base/units.ts';
import { toLineFeeds } from '../../diff/lineEnds.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { toName } from './locations.ts';

export interface RenamePatch {
  /** For `apply_patch`. */
  readonly patch: string;
  readonly files: readonly string[];
  readonly edits: number;
}

/** A model has to repeat the patch. */
const PATCH_BYTES = 60 * KB;
const MOST_EDITED_LINES = 800;

/** The patch that a rename comes to. Part of a rename would break the code, so it is all or nothing. */
export async function toRenamePatch(
  { files = [], cut }: LanguageAnswer,
  runtime: Runtime,
): Promise<Outcome<RenamePatch>> {
  if (files.length === 0) return failure('Nothing there can be renamed.');
  if (cut === true) return failure(TOO_LARGE);
  const parts: string[] = [];
  const names: string[] = [];
  for (const file of files) {
    const part = await toPart(file, runtime);
    if (!part.ok) return part;
    names.push(part.data.name);
    parts.push(part.data.patch);
  }
  const patch = parts.join('');
  if (Buffer.byteLength(patch) > PATCH_BYTES) return failure(TOO_LARGE);
  const edits = files.reduce((sum, each) => sum + each.edits.length, 0);
  return success({ patch, files: names, edits });
}

const TOO_LARGE =
  'The rename changes more than one patch can hold. Ask the user to rename it in the editor (Rename Symbol).';
const HIDDEN =
  'The rename would also change files that you may not read, so it is not shown. Ask the user to rename it in the editor (Rename Symbol).';

async function toPart(
  { path, textHash, edits }: RenamedFile,
  { fs, folders }: Runtime,
): Promise<Outcome<{ readonly name: string; readonly patch: string }>> {
  const read = await fs.readText(path);
  if (!read.ok) return failure(HIDDEN);
  using file = read.data;
  const name = toName(file.path, folders.cwd);
  const oldText = toLineFeeds(file.utf8.toString('utf8'));
  if (createHash('sha256').update(oldText).digest('hex') !== textHash) {
    return failure(
      `${name} is not the same in the editor, for example because changes of it wait for a review. Try again after the review.`,
    );
  }
  const newText = applyEdits(oldText, edits);
  if (newText === undefined) return failure(`The edits of the rename in ${name} overlap.`);
  const isPlain = /^[^\s"\\][^\n\r\t"\\]*$/.test(name);
  if (!isPlain) return failure(`A patch can't name the file ${JSON.stringify(name)}.`);
  const [before, after] = name === file.path ? [name, name] : [`a/${name}`, `b/${name}`];
  const options = { context: 1, maxEditLength: MOST_EDITED_LINES };
  const patch = createTwoFilesPatch(before, after, oldText, newText, '', '', options);
  if (patch === undefined) return failure(TOO_LARGE);
  return success({ name, patch: patch.replace(/^=+\n/, '') });
}

/** Undefined: edits overlap or lie outside of the text. */
function applyEdits(text: string, edits: readonly CodeEdit[]): string | undefined {
  const starts = findLineStarts(text);
  const at = ({ line, character }: CodePosition) =>
    Math.min((starts[line] ?? Number.NaN) + character, (starts[line + 1] ?? text.length + 1) - 1);
  const spans = edits
    .map(({ range, newText }) => ({ start: at(range.start), end: at(range.end), newText }))
    .sort((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let done = 0;
  for (const { start, end, newText } of spans) {
    if (!(start >= done && end >= start)) return undefined;
    result += text.slice(done, start) + toLineFeeds(newText);
    done = end;
  }
  return result + text.slice(done);
}

function findLineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
