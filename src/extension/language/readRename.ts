import { fieldAt } from '../../base/json.ts';
import { sha256 } from '../../base/text/sha256.ts';
import type { CodeEdit, LanguageAnswer, RenamedFile } from '../../base/tools/languageQuery.ts';
import { readPath, readRange } from './readLocations.ts';

/** The edits of each file, with the text that they are made for. */
export type EditedFiles = readonly {
  readonly uri: unknown;
  readonly text: string;
  readonly edits: readonly unknown[];
}[];

const MOST_FILES = 200;
const MOST_EDITS = 5000;

/** A rename as edits of files on disk. A part of it would be wrong, so it is sent whole or not at all. */
export async function readRename(edited: EditedFiles): Promise<LanguageAnswer> {
  const changed = edited.filter(({ edits }) => edits.length > 0);
  const count = changed.reduce((sum, { edits }) => sum + edits.length, 0);
  if (changed.length > MOST_FILES || count > MOST_EDITS) return { files: [], cut: true };
  const files: RenamedFile[] = [];
  for (const { uri, text, edits } of changed) {
    const path = readPath(uri);
    const read = edits.map(readEdit);
    const whole = read.filter((edit) => edit !== undefined);
    if (path === undefined || whole.length < read.length) {
      return {
        error: 'The rename changes what is no text on disk. The user can do it in the editor.',
      };
    }
    const lines = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
    const textHash = sha256(lines, 'hex');
    files.push({ path, textHash, edits: whole });
  }
  return { files };
}

function readEdit(edit: unknown): CodeEdit | undefined {
  const range = readRange(fieldAt(edit, 'range'));
  const newText = fieldAt(edit, 'newText');
  return range !== undefined && typeof newText === 'string' ? { range, newText } : undefined;
}
