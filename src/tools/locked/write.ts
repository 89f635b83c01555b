import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { FileChange } from '../../diff/fileChange.ts';
import { restoreLineEnds } from '../../diff/lineEnds.ts';
import type { Runtime, TextFile } from '../../runtime/runtime.ts';
import { findConflict, NO_FILE, replaceText } from '../applyChanges.ts';
import type { Tool } from '../contract.ts';
import { diffContent } from '../hunks.ts';
import { FILE_PATH } from './text/filePaths.ts';
import { checkText, mainLineEnd, withLineEnds } from './text/lineEnds.ts';

interface Args {
  readonly path: string;
  readonly content: string;
}

interface Data {
  readonly path: string;
  readonly created: boolean;
}

/** Creates a file or replaces all of it (spec C-12, CR-4). */
export const write: Tool<Args, Data> = {
  id: 'write',
  kind: 'edit',
  description:
    'Create a file, or replace all of its content. Missing parent folders are created. Mode, links, line ends and encoding of an existing file are kept. To change a part of a file use edit: it is shorter and safer. Binary content cannot be written.',
  parameters: {
    type: 'object',
    properties: {
      path: FILE_PATH,
      content: { type: 'string', description: 'The whole new content.' },
    },
    required: ['path', 'content'],
    additionalProperties: false,
  },
  requires: { families: ['fs.write'] },
  changesFiles: true,
  // What may not be edited is not replaced.
  alsoRuledBy: ['edit'],

  subjects: ({ path }) => [
    { permission: 'write', capability: 'fs.write', target: path, match: 'path' },
  ],
  title: ({ path }) => `Write ${path}`,

  async preview({ path, content }, { fs }) {
    const before = await current(path, content, fs);
    if (!before.ok) return before;
    using file = before.data;
    const newText = file === undefined ? content : fitted(file, content);
    const change: FileChange = {
      path: file?.path ?? fs.absolute(path),
      beforeHash: file?.hash() ?? NO_FILE,
      ...(file && { oldText: file.utf8.toString('utf8') }),
      newText,
    };
    return success({ changes: [change] });
  },

  execute(args, runtime, approved) {
    const [change] = approved?.changes ?? [];
    return runtime.fs.exclusively([args.path], () => replace(args, runtime, change));
  },
};

async function replace(
  { path, content }: Args,
  { fs, session }: Runtime,
  approved: FileChange | undefined,
): Promise<Outcome<Data>> {
  const before = await current(path, approved?.newText ?? content, fs);
  if (!before.ok) return before;
  using file = before.data;
  const conflict = approved && findConflict(approved, file);
  if (conflict !== undefined) return failure(conflict);
  if (file === undefined) {
    const text = approved?.newText ?? content;
    const created = await fs.create(path, text);
    if (!created.ok) return created;
    session.progress({
      locations: [{ path: created.data.path }],
      content: diffContent(created.data.path, undefined, text),
    });
    return success({ path: created.data.path, created: true });
  }

  const replaced = await replaceText(file, approved?.newText ?? fitted(file, content), fs);
  if (!replaced.ok) return replaced;
  session.progress({ locations: [{ path: file.path }], content: replaced.data });
  return success({ path: file.path, created: false });
}

/** The current file; undefined when it does not exist. Anything but a file is an error. */
async function current(
  path: string,
  content: string,
  fs: Runtime['fs'],
): Promise<Outcome<TextFile | undefined>> {
  const fit = checkText(content);
  if (!fit.ok) return fit;
  const file = await fs.readForChange(path);
  return file.ok ? success(file.data) : file;
}

/**
 * Gives the new content the line ends of the file that it replaces. In a file with both kinds each
 * line keeps its own: no review shows a change of the line end alone.
 */
function fitted({ utf8 }: TextFile, content: string): string {
  const lineEnd = mainLineEnd(utf8);
  if (content.includes('\r') || lineEnd === '\r' || !utf8.includes('\r\n')) {
    return withLineEnds(content, lineEnd);
  }
  const text = utf8.toString('utf8');
  // A lone CR beside other line ends is text, not a line end.
  return /\r(?!\n)/.test(text) ? withLineEnds(content, lineEnd) : restoreLineEnds(text, content);
}
