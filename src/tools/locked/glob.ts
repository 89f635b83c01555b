import { success } from '../../base/outcome.ts';
import type { Tool } from '../contract.ts';

interface Args {
  readonly pattern: string;
  readonly path?: string;
  readonly hidden?: boolean;
}

interface Data {
  readonly entries: readonly string[];
  readonly total: number;
  readonly note?: string;
}

/** Lists files, newest first (spec C-14, CR-6). */
export const glob: Tool<Args, Data> = {
  id: 'glob',
  kind: 'search',
  description:
    'List files whose path matches a glob, the newest first. Symbolic links and files that .gitignore excludes are left out, hidden ones too unless hidden is set or the pattern names them (.github/**). Files that are new and unsaved in the editor are listed. At most 1000 are returned: beyond that you get the newest, and a file that lists all of them. To search inside files use grep.',
  parameters: {
    type: 'object',
    properties: {
      pattern: {
        type: 'string',
        minLength: 1,
        description: 'Glob relative to path: src/**/*.ts. Without a / it matches at any depth.',
      },
      path: {
        type: 'string',
        minLength: 1,
        description: 'Folder to search. Default: the workspace root.',
      },
      hidden: { type: 'boolean', description: 'List hidden files as well.' },
    },
    required: ['pattern'],
    additionalProperties: false,
  },
  output: ({ globEntries }) => ({ list: { key: 'entries', entries: globEntries } }),
  requires: { families: ['fs.read'] },

  subjects: ({ path = '.' }) => [
    { permission: 'glob', capability: 'fs.read', target: path, match: 'path' },
  ],
  title: ({ pattern, path }) => `Find ${pattern}${path === undefined ? '' : ` in ${path}`}`,

  async execute({ pattern, path, hidden = false }, { fs }) {
    const files = await fs.files({ directory: path ?? '.', pattern, hidden });
    if (!files.ok) return files;
    const entries = files.data.map((name) => below(path, name));
    const note = noteOnNames(entries);
    return success({ entries, total: entries.length, ...(note !== undefined && { note }) });
  },
};

/** Bytes of a name that are not UTF-8 are shown as `\ufffd`, so the name cannot be used in another call. */
export function noteOnNames(names: readonly string[]): string | undefined {
  const odd = names.find((name) => name.includes('\ufffd'));
  if (odd === undefined) return undefined;
  return `Names with \ufffd, such as ${JSON.stringify(odd)}, are not UTF-8. The file tools cannot open such a file; use bash with * in place of \ufffd.`;
}

/** A path that `read` accepts. */
export function below(folder: string | undefined, name: string): string {
  if (folder === undefined || /^(\.\/?)?$/.test(folder) || /^[a-z][\w-]+:/.test(name)) return name;
  return `${folder.replace(/[\\/]+$/, '')}/${name}`;
}
