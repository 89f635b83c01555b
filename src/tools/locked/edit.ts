import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { FileChange } from '../../diff/fileChange.ts';
import { applySpans, changedSpan } from '../../diff/span.ts';
import type { Runtime, TextFile } from '../../runtime/runtime.ts';
import { findConflict } from '../applyChanges.ts';
import type { Tool } from '../contract.ts';
import { findLine, hunkContent } from '../hunks.ts';
import { FILE_PATH } from './text/filePaths.ts';
import { findSpans } from './text/replace.ts';

interface Args {
  readonly path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

interface Data {
  readonly path: string;
  readonly replaced: number;
  /** Line of the first replacement, from 1. */
  readonly line: number;
  readonly note?: string;
}

/** String replacement, matched against the content at call time (spec C-13, CR-3). */
export const edit: Tool<Args, Data> = {
  id: 'edit',
  kind: 'edit',
  description:
    'Replace one text in an existing file. old_string must occur exactly once: copy it from the file with enough lines around it, without the line numbers that read shows. With replace_all every occurrence is replaced. If only whitespace differs and exactly one match is found, that match is replaced; otherwise nothing is changed and you get the nearest lines. Everything outside the replaced text stays unchanged, byte for byte. To create a file or replace all of it use write.',
  parameters: {
    type: 'object',
    properties: {
      path: FILE_PATH,
      old_string: { type: 'string', minLength: 1, description: 'The text to replace.' },
      new_string: { type: 'string', description: 'The replacement text. May be empty.' },
      replace_all: { type: 'boolean', description: 'Replace every occurrence. Default: false.' },
    },
    required: ['path', 'old_string', 'new_string'],
    additionalProperties: false,
  },
  requires: { families: ['fs.read', 'fs.write'] },
  changesFiles: true,
  // Whether an edit fits tells what is in the file.
  alsoRuledBy: ['read'],

  subjects: ({ path }) => [
    { permission: 'edit', capability: 'fs.write', target: path, match: 'path' },
    { permission: 'edit', capability: 'fs.read', target: path, match: 'path' },
  ],
  title: ({ path }) => `Edit ${path}`,

  async preview(args, { fs }) {
    const read = await fs.readText(args.path);
    if (!read.ok) return read;
    using file = read.data;
    const { path, utf8 } = file;
    const found = findSpans(utf8, args);
    if (!found.ok) return found;
    const oldText = utf8.toString('utf8');
    const newText = applySpans(utf8, found.data.spans);
    return success({ changes: [{ path, beforeHash: file.hash(), oldText, newText }] });
  },

  execute(args, runtime, approved) {
    const [change] = approved?.changes ?? [];
    return runtime.fs.exclusively([args.path], () => replace(args, runtime, change));
  },
};

async function replace(
  args: Args,
  { fs, session }: Runtime,
  approved: FileChange | undefined,
): Promise<Outcome<Data>> {
  const read = await fs.readText(args.path);
  if (!read.ok) return read;
  using file = read.data;
  const conflict = approved && findConflict(approved, file);
  if (conflict !== undefined) return failure(conflict);
  const found = findSpans(file.utf8, args);
  if (!found.ok) return found;
  const proposed = found.data.spans;
  const spans = approved ? approvedSpans(file, proposed, approved) : proposed;
  // Count lines of a large file while the write is in progress.
  const [written, known] = await Promise.all([
    fs.splice(file, spans),
    findLine(file.utf8, spans[0]?.start ?? 0),
  ]);
  if (!written.ok) return written;

  const { line } = known;
  const hunks = hunkContent(file.path, file.utf8, spans, known);
  session.progress({ locations: [{ path: file.path, line }], content: hunks });
  return success({
    path: file.path,
    replaced: spans.length,
    line,
    ...(found.data.inexact && { note: INEXACT }),
  });
}

/** The spans that the user approved; the text may differ from the proposal. */
function approvedSpans(
  { utf8 }: TextFile,
  proposed: readonly { readonly start: number; readonly end: number; readonly text: string }[],
  { newText = '' }: FileChange,
) {
  return applySpans(utf8, proposed) === newText ? proposed : [changedSpan(utf8, newText)];
}

const INEXACT = 'old_string differed in whitespace; the only match was replaced.';
