import { failure, type Outcome, success } from '../../base/outcome.ts';
import { LANGUAGE_OPERATIONS, type LanguageQuery } from '../../base/tools/languageQuery.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Tool } from '../contract.ts';
import { FILE_PATH } from '../locked/text/filePaths.ts';
import { type ShownLocations, showLocations } from './locations.ts';
import { type RenamePatch, toRenamePatch } from './renamePatch.ts';

export interface LanguageArgs {
  readonly operation: LanguageQuery['operation'];
  readonly path?: string;
  readonly line?: number;
  readonly symbol?: string;
  readonly query?: string;
  readonly new_name?: string;
}

/** What of the editor's language features is not there: other clients, the command line. */
export const NOT_AVAILABLE =
  'Language features are not available here: only VS Code has them. Use grep to find text, and edit or apply_patch to change it.';

/** Asks the language features of the editor. Changes nothing: a rename is returned as a patch. */
export const lsp: Tool<LanguageArgs, ShownLocations | RenamePatch> = {
  id: 'lsp',
  kind: 'search',
  description:
    'Ask the language features of the editor. definition, references and rename need path, line (from 1) and symbol, the name as it stands in that line. document_symbols needs path; workspace_symbols needs query; diagnostics shows the problems of one file (path) or of all. rename changes nothing: it returns a patch for new_name, which you pass to apply_patch unchanged. Results in files that you may not read are left out. For text in comments, strings or files of no language use grep.',
  parameters: {
    type: 'object',
    properties: {
      operation: { enum: LANGUAGE_OPERATIONS },
      path: FILE_PATH,
      line: { type: 'integer', minimum: 1, description: 'The line of the symbol, from 1.' },
      symbol: { type: 'string', minLength: 1, description: 'The name, as it stands in the line.' },
      query: { type: 'string', minLength: 1, description: 'A part of the names of symbols.' },
      new_name: { type: 'string', minLength: 1, maxLength: 500, description: 'For rename.' },
    },
    required: ['operation'],
    additionalProperties: false,
  },
  requires: { families: ['fs.read'] },
  // It shows names and lines of files as these do, so what they may not show is not shown here.
  alsoRuledBy: ['read', 'grep'],

  subjects: ({ path = '.' }) => [
    { permission: 'lsp', capability: 'fs.read', target: path, match: 'path' },
  ],
  title: ({ operation, path, symbol, query, new_name }) => {
    const what = [symbol ?? query, new_name && `to ${new_name}`, path && `in ${path}`];
    return [`${TITLES[operation]}`, ...what.filter(Boolean)].join(' ');
  },

  async execute(args, runtime) {
    const ask = runtime.session.askLanguage;
    if (ask === undefined) return failure(NOT_AVAILABLE);
    const query = await toQuery(args, runtime);
    if (!query.ok) return query;
    const answer = await ask(query.data, runtime.signal);
    if (answer.error !== undefined) return failure(answer.error);
    return args.operation === 'rename'
      ? toRenamePatch(answer, runtime)
      : success(await showLocations(answer, runtime));
  },
};

const TITLES = {
  definition: 'Find the definition of',
  references: 'Find references of',
  document_symbols: 'List symbols',
  workspace_symbols: 'Find symbols',
  diagnostics: 'List problems',
  rename: 'Preview the rename of',
} as const satisfies Record<LanguageQuery['operation'], string>;

async function toQuery(args: LanguageArgs, { fs }: Runtime): Promise<Outcome<LanguageQuery>> {
  const { operation, path, line, symbol, query, new_name } = args;
  if (operation === 'workspace_symbols') {
    return query === undefined ? missing(operation, 'query') : success({ operation, text: query });
  }
  if (path === undefined) {
    return operation === 'diagnostics' ? success({ operation }) : missing(operation, 'path');
  }
  const read = await fs.readText(path);
  if (!read.ok) return read;
  using file = read.data;
  if (operation === 'document_symbols' || operation === 'diagnostics') {
    return success({ operation, path: file.path });
  }
  if (line === undefined) return missing(operation, 'line');
  if (symbol === undefined) return missing(operation, 'symbol');
  if (operation === 'rename' && new_name === undefined) return missing(operation, 'new_name');
  const lineText = file.utf8.toString('utf8').split(/\r\n|\r|\n/)[line - 1];
  const character = findName(lineText ?? '', symbol);
  if (lineText === undefined || character < 0) {
    return failure(
      `Line ${line} of ${path} has no ${JSON.stringify(symbol)}. Read the file again.`,
    );
  }
  const position = { line: line - 1, character };
  const text = operation === 'rename' && new_name !== undefined && { text: new_name };
  return success({ operation, path: file.path, position, lineText, ...text });
}

function missing(operation: string, argument: string): Outcome<never> {
  return failure(`${operation} needs "${argument}".`);
}

/** Where the name stands as a whole word, else anywhere. */
function findName(line: string, name: string): number {
  for (let at = line.indexOf(name); at >= 0; at = line.indexOf(name, at + 1)) {
    const isWord = (character: string | undefined) => /[\p{L}\p{N}_$]/u.test(character ?? '');
    if (!isWord(line[at - 1]) && !isWord(line[at + name.length])) return at;
  }
  return line.indexOf(name);
}
