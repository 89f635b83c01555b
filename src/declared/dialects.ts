import path from 'node:path';
import { isRecord } from '../base/json.ts';
import { parseAgentcli } from './agentcli/parseAgentcli.ts';
import { parseCompozy } from './compozy/parseCompozy.ts';
import { type CompozyProject, findProject } from './compozy/parseProject.ts';
import type { Diagnostics } from './manifest/diagnostic.ts';
import type { SourceDocument } from './manifest/parseDocument.ts';
import { getField, type JsonObject } from './manifest/parsePointer.ts';
import { ancestors, type Surroundings } from './manifest/parseSurroundings.ts';
import { BUNDLE_FILES, type Bundle } from './runloop/parseBundle.ts';
import { parseRunloop } from './runloop/parseRunloop.ts';
import type { Dialect, ToolEntry } from './toolEntry.ts';

/** A document to parse, and what its dialect's parser may look at. */
export interface DialectSource {
  /** Absolute. */
  readonly file: string;
  readonly document: SourceDocument;
  readonly diagnostics: Diagnostics;
  readonly surroundings: Surroundings;
  /** Found by autoload or by walking a folder, not named. */
  readonly autoloaded: boolean;
}

export interface Parsed {
  readonly entries: readonly ToolEntry[];
  readonly bundle?: Bundle;
  readonly project?: CompozyProject;
}

/** An id as a manifest writes it. */
export interface WrittenId {
  readonly id: string;
  readonly pointer: string;
}

/** What the check, the loader and the language server need of a dialect. Running its tools is `dialectTools.ts`. */
export interface DialectRow {
  readonly id: Dialect;
  /** How the dialect's own loader starts the text of a syntax error. */
  readonly syntaxError: string;
  /** The text of a manifest without tools: a file that cannot be read stands for it. */
  readonly emptyText: string;
  /** Whether the document is of this dialect, when no earlier row has it (spec decision 40). */
  detect(source: Omit<DialectSource, 'diagnostics' | 'autoloaded'>): boolean;
  parse(source: DialectSource): Parsed;
  /** The ids as written, of every entry that has one. */
  ids(root: JsonObject): readonly WrittenId[];
  /** What an acceptance covers beside the manifest: its neighbours, the programs and modules it runs. */
  covers(manifest: Parsed & { readonly file: string }): readonly string[];
}

const runloop: DialectRow = {
  id: 'runloop',
  syntaxError: 'invalid JSON: ',
  emptyText: '{}',
  detect({ file, document, surroundings }) {
    if (document.notation === 'yaml') return false;
    if (document.rootKeys.includes('version') || document.mentionsTransport) return true;
    const beside = BUNDLE_FILES.map((name) => path.join(path.dirname(file), name));
    return beside.some((each) => surroundings.read(each) !== undefined);
  },
  parse: ({ file, document, diagnostics, surroundings }) =>
    parseRunloop(document, path.dirname(file), diagnostics, surroundings),
  ids: (root) => idsOfTools(root, 'id'),
  covers({ file, entries }) {
    const programs = entries.flatMap((entry) =>
      entry.dialect === 'runloop' && entry.transport.kind === 'exec'
        ? [entry.transport.command]
        : [],
    );
    return [...BUNDLE_FILES.map((name) => path.join(path.dirname(file), name)), ...programs];
  },
};

const compozy: DialectRow = {
  id: 'compozy',
  syntaxError: 'PARSE_ERROR: ',
  emptyText: '',
  detect: ({ document }) => document.notation === 'yaml' || document.rootKeys.includes('resource'),
  parse({ file, ...source }) {
    const { surroundings } = source;
    const folder = path.dirname(file);
    const project = findProject(folder, ancestors(folder, surroundings), surroundings);
    const entry = parseCompozy({ ...source, project, folder });
    return { entries: entry === undefined ? [] : [entry], project };
  },
  ids(root) {
    const { id } = root;
    const isTool = (getField(root, 'resource') ?? 'tool') === 'tool';
    return isTool && typeof id === 'string' && id !== '' ? [{ id, pointer: '/id' }] : [];
  },
  covers: ({ project }) =>
    project === undefined ? [] : [project.entrypoint, path.join(project.folder, 'compozy.yaml')],
};

const agentcli: DialectRow = {
  id: 'agentcli',
  syntaxError: 'parse manifest: ',
  emptyText: '{}',
  detect: () => true,
  parse: ({ file, document, diagnostics, surroundings }) => ({
    entries: parseAgentcli(document, path.dirname(file), diagnostics, surroundings),
  }),
  ids: (root) => idsOfTools(root, 'name'),
  covers: ({ entries }) =>
    entries.flatMap((entry) => (entry.dialect === 'agentcli' ? [entry.program] : [])),
};

/** Every dialect, in the order in which they are detected: the last takes what no other has. */
export const DIALECTS: readonly DialectRow[] = [runloop, compozy, agentcli];

const BY_ID: ReadonlyMap<Dialect, DialectRow> = new Map(DIALECTS.map((row) => [row.id, row]));

export function getDialect(id: Dialect): DialectRow {
  return BY_ID.get(id) ?? agentcli;
}

/** The dialect of a document that names none. */
export function detectDialect(source: Parameters<DialectRow['detect']>[0]): DialectRow {
  return DIALECTS.find((row) => row.detect(source)) ?? agentcli;
}

function idsOfTools(root: JsonObject, key: string): readonly WrittenId[] {
  const tools = getField(root, 'tools');
  return (Array.isArray(tools) ? tools : []).flatMap((tool: unknown, index) => {
    const id = isRecord(tool) ? getField(tool, key) : undefined;
    return typeof id === 'string' && id !== '' ? [{ id, pointer: `/tools/${index}/${key}` }] : [];
  });
}
