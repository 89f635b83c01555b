import { success } from '../../base/outcome.ts';
import type { GrepRow } from '../../runtime/searchQuery.ts';
import type { Tool } from '../contract.ts';
import { withCut } from '../truncate.ts';
import { below, noteOnNames } from './glob.ts';

interface Args {
  readonly pattern: string;
  readonly path?: string;
  readonly include?: string;
  readonly context?: number;
  readonly case?: 'sensitive' | 'insensitive';
  readonly output?: 'content' | 'files' | 'count';
  readonly hidden?: boolean;
}

interface Data {
  /** Rows, or one line per file; `head` when there are more. */
  readonly matches?: readonly (GrepRow | string)[];
  readonly head?: string;
  readonly note?: string;
}

/** Searches file contents (spec C-15). */
export const grep: Tool<Args, Data> = {
  id: 'grep',
  kind: 'search',
  description:
    'Search file contents by a regular expression (Rust syntax: no look-around, no back-references; escape literal braces). Sees unsaved changes in the editor. Files that .gitignore excludes, binary files and symbolic links are left out, hidden ones too unless hidden is set or include names them. output content gives matching lines with their numbers, files only the paths, count the number per file. At most 200 matches are returned: narrow the pattern, path or include when there are more. To find files by name use glob.',
  parameters: {
    type: 'object',
    properties: {
      pattern: { type: 'string', minLength: 1, description: 'The regular expression.' },
      path: {
        type: 'string',
        minLength: 1,
        description: 'Folder or file to search. Default: the workspace root.',
      },
      include: { type: 'string', minLength: 1, description: 'Only files that match: *.ts' },
      context: {
        type: 'integer',
        minimum: 0,
        maximum: 20,
        description: 'Lines to show before and after each match.',
      },
      case: {
        enum: ['sensitive', 'insensitive'],
        description: 'Default: sensitive.',
      },
      output: { enum: ['content', 'files', 'count'], description: 'Default: content.' },
      hidden: { type: 'boolean', description: 'Search hidden files as well.' },
    },
    required: ['pattern'],
    additionalProperties: false,
  },
  output: ({ grepMatches }) => ({ list: { key: 'matches', entries: grepMatches } }),
  requires: { families: ['fs.read'] },

  subjects: ({ path = '.' }) => [
    { permission: 'grep', capability: 'fs.read', target: path, match: 'path' },
  ],
  title: ({ pattern, path }) => `Search for ${pattern}${path === undefined ? '' : ` in ${path}`}`,

  async execute(args, { fs, limits, sidecars }) {
    const { pattern, path, include, context = 0, output = 'content', hidden = false } = args;
    const found = await fs.grep({
      pattern,
      directory: path ?? '.',
      ...(include !== undefined && { include }),
      context,
      ignoreCase: args.case === 'insensitive',
      hidden,
      output,
      limit: limits.grepMatches,
    });
    if (!found.ok) return found;
    // Keep the path as requested: a link's target may be somewhere else.
    const file = path !== undefined && (await fs.stat(path)).ok ? path : undefined;
    const rows = found.data.rows.map((row) => ({ ...row, path: file ?? below(path, row.path) }));
    const entries = rows.map((row) => toEntry(row, output));
    const odd = noteOnNames(rows.map((row) => row.path));
    const data = toData(entries, odd ? [...found.data.notes, odd] : found.data.notes);
    if (!found.data.more) return success(data);

    const kept = takeHead(rows, limits.grepMatches).map((row) => toEntry(row, output));
    const saved = await sidecars.write('grep', entries.map(toText).join('\n'));
    const head = kept.map(toText).join('\n');
    const note = [
      data.note,
      `There are more than ${limits.grepMatches} matches. Narrow the search.`,
      saved.ok ? undefined : `The full list could not be saved: ${saved.error}`,
    ];
    return success(
      withCut({ head, note: note.filter(Boolean).join(' ') }, saved.ok ? saved.data : undefined),
    );
  },
};

function toData(entries: NonNullable<Data['matches']>, notes: readonly string[]): Data {
  const note = notes.join(' ');
  return { matches: entries, ...(note !== '' && { note }) };
}

function toEntry(row: GrepRow, output: string): GrepRow | string {
  if (output === 'files') return row.path;
  return output === 'count' ? `${row.path}:${row.text}` : row;
}

/** The rows of the first `limit` matches, with their context. */
function takeHead(rows: readonly GrepRow[], limit: number): readonly GrepRow[] {
  let matches = 0;
  const end = rows.findIndex((row) => {
    if (!row.context) matches += 1;
    return matches > limit;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

function toText(entry: GrepRow | string): string {
  if (typeof entry === 'string') return entry;
  return `${entry.path}:${entry.line}${entry.context ? '-' : ':'}${entry.text}`;
}
