import { success } from '../../base/outcome.ts';
import type { Tool } from '../contract.ts';
import { type Overview, summarize } from './summarize.ts';

interface Args {
  readonly path?: string;
  readonly depth?: number;
}

const DEPTH = 3;

/** A tree of folders and the languages below one of them. It sees what `glob` would list. */
export const repoOverview: Tool<Args, Overview> = {
  id: 'repo_overview',
  kind: 'search',
  description:
    'Show what a folder holds: a tree of its folders with the number of files in each, the files at its top, and its languages by number of files. Files that .gitignore excludes, hidden files and symbolic links are left out. Use it first in a project that you do not know; use glob to list files.',
  parameters: {
    type: 'object',
    properties: {
      path: {
        type: 'string',
        minLength: 1,
        description: 'The folder. Default: the workspace root.',
      },
      depth: {
        type: 'integer',
        minimum: 1,
        maximum: 8,
        description: `Levels of folders that are shown. Default: ${DEPTH}.`,
      },
    },
    additionalProperties: false,
  },
  requires: { families: ['fs.read'] },
  // It names files as `glob` does, so what may not be listed there is not listed here.
  alsoRuledBy: ['glob'],

  subjects: ({ path = '.' }) => [
    { permission: 'repo_overview', capability: 'fs.read', target: path, match: 'path' },
  ],
  title: ({ path = '.' }) => `Overview of ${path}`,

  async execute({ path = '.', depth = DEPTH }, { fs }) {
    const files = await fs.files({ directory: path, pattern: '**' });
    return files.ok ? success(summarize(files.data, depth)) : files;
  },
};
