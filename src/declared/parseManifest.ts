import path from 'node:path';
import { isRecord } from '../base/json.ts';
import { parseAgentcli } from './agentcli/parseAgentcli.ts';
import { parseCompozy } from './compozy/parseCompozy.ts';
import { type CompozyProject, findProject } from './compozy/parseProject.ts';
import { readDocument, type SourceDocument } from './manifest/parseDocument.ts';
import type { Dialect, ToolEntry } from './manifest/parseEntries.ts';
import { collectFindings, type Finding, type Findings, hasError } from './manifest/parseFinding.ts';
import { fieldOf } from './manifest/parsePointer.ts';
import { ancestors, type Surroundings } from './manifest/parseSurroundings.ts';
import { detectDialect } from './parseDialect.ts';
import type { Bundle } from './runloop/parseBundle.ts';
import { parseRunloop } from './runloop/parseRunloop.ts';

/** A manifest to judge. */
export interface ManifestSource {
  /** Absolute. */
  readonly file: string;
  readonly content: Uint8Array | string;
  /** Undefined: told from the document and its neighbours (decision 40). */
  readonly dialect?: Dialect | undefined;
  /** Found by autoload or by walking a folder, not named. */
  readonly autoloaded?: boolean;
}

/** A judged manifest. With an error in it none of its tools is loaded. */
export interface Manifest {
  readonly file: string;
  readonly dialect: Dialect;
  readonly document: SourceDocument;
  readonly findings: readonly Finding[];
  /** The entries that have no error of their own. */
  readonly entries: readonly ToolEntry[];
  /** Ids as written, of every entry that has one. */
  readonly ids: readonly { readonly id: string; readonly pointer: string }[];
  readonly bundle?: Bundle;
  readonly project?: CompozyProject;
}

/** Judges one manifest. Reads its neighbours; runs nothing and fetches nothing. */
export function parseManifest(source: ManifestSource, surroundings: Surroundings): Manifest {
  const { file } = source;
  const document = readDocument(file, source.content);
  const dialect = source.dialect ?? detectDialect(file, document, surroundings);
  const findings = collectFindings(document);
  const base = { file, dialect, document };
  if (document.faults.length > 0) {
    for (const fault of document.faults) {
      const place = { pointer: '', ...document.position(fault.offset) };
      findings.list.push({
        ...place,
        ...fault,
        severity: 'error',
        message: SYNTAX[dialect] + fault.message,
      });
    }
    return { ...base, findings: findings.list, entries: [], ids: [] };
  }
  const parsed = parseDialect(dialect, source, document, findings, surroundings);
  return {
    ...base,
    ...parsed,
    findings: inOrder(findings.list),
    ids: idsOf(dialect, document.value),
  };
}

/** How each dialect's loader starts the text of a syntax error. */
const SYNTAX: Readonly<Record<Dialect, string>> = {
  agentcli: 'parse manifest: ',
  runloop: 'invalid JSON: ',
  compozy: 'PARSE_ERROR: ',
};

function parseDialect(
  dialect: Dialect,
  { file, autoloaded = false }: ManifestSource,
  document: SourceDocument,
  findings: Findings,
  surroundings: Surroundings,
): { entries: readonly ToolEntry[]; bundle?: Bundle; project?: CompozyProject } {
  const folder = path.dirname(file);
  switch (dialect) {
    case 'agentcli':
      return { entries: parseAgentcli(document, folder, findings, surroundings) };
    case 'runloop':
      return parseRunloop(document, folder, findings, surroundings);
    case 'compozy': {
      const project = findProject(folder, ancestors(folder, surroundings), surroundings);
      const scope = { document, findings, surroundings, project, folder, autoloaded };
      const entry = parseCompozy(scope);
      return { entries: entry === undefined ? [] : [entry], project };
    }
  }
}

function inOrder(findings: readonly Finding[]): readonly Finding[] {
  return [...findings].sort((a, b) => a.offset - b.offset);
}

function idsOf(dialect: Dialect, root: unknown): Manifest['ids'] {
  if (!isRecord(root)) return [];
  if (dialect === 'compozy') {
    const { id } = root;
    const isTool = (fieldOf(root, 'resource') ?? 'tool') === 'tool';
    return isTool && typeof id === 'string' && id !== '' ? [{ id, pointer: '/id' }] : [];
  }
  const key = dialect === 'agentcli' ? 'name' : 'id';
  const tools = fieldOf(root, 'tools');
  return (Array.isArray(tools) ? tools : []).flatMap((tool: unknown, index) => {
    const id = isRecord(tool) ? fieldOf(tool, key) : undefined;
    return typeof id === 'string' && id !== '' ? [{ id, pointer: `/tools/${index}/${key}` }] : [];
  });
}

export function isAccepted(manifest: Manifest): boolean {
  return !hasError(manifest.findings);
}
