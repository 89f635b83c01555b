import { existsSync } from 'node:fs';
import path from 'node:path';
import { listAgents, readAgent } from '../../agentDefinitions/discover.ts';
import { toVisibleLine } from '../../base/text/visibleText.ts';
import { DIALECT_IDS, type DialectId, isDialectId } from '../../base/tools/dialectFacts.ts';
import { getFingerprint } from '../../declared/acceptance.ts';
import { findNamed } from '../../declared/findManifests.ts';
import type { Diagnostic } from '../../declared/manifest/diagnostic.ts';
import type { FoundManifest } from '../../declared/manifest/dialectRow.ts';
import { diskSurroundings } from '../../declared/manifest/parseSurroundings.ts';
import { isAccepted, type Manifest } from '../../declared/parseManifest.ts';
import { validateManifests } from '../../declared/validateManifests.ts';
import type { Command, CommandIo } from '../command.ts';
import { readFolderSettings } from '../config/folderSettings.ts';
import { takeWorkspace } from './workspaceOption.ts';

export const USAGE = `usage: gatehouse check [--json] [--dialect ${DIALECT_IDS.join('|')}] [--workspace DIR] PATH…\n`;

/**
 * `gatehouse check`: prints the diagnostics of every manifest that is named or found below a folder, and of agent
 * definitions. It validates documents and runs nothing. Exit code 0 when all are ok, 1 when there is an error, 2 for misuse.
 */
export const run: Command = async (io) => {
  const taken = takeWorkspace(io);
  if (!taken.ok) return misuse(io, taken.error);
  const { words, workspace } = taken.data;
  const options = parseArguments(words);
  if (typeof options === 'string') return misuse(io, options);
  const surroundings = diskSurroundings(io.env);
  const found: FoundManifest[] = [];
  const agents = new Set<string>();
  const unlisted = new Map<string, Row>();
  const named = { cwd: io.cwd, workspace };
  for (const written of options.paths) {
    const target = path.resolve(io.cwd, written);
    if (target.endsWith('.md')) agents.add(target);
    const listed =
      target.endsWith('.md') && existsSync(target) ? [] : findNamed(target, named, surroundings);
    if (listed === undefined) return misuse(io, `${written} does not exist`);
    for (const each of listed) found.push(each);
    const { folder, files, warnings } = await listAgents(target);
    for (const file of files) agents.add(file);
    if (warnings.length > 0) unlisted.set(folder, toFailedRow(folder, warnings));
  }
  const { dialect } = options;
  const { schemaMs } = readFolderSettings(io.cwd, io.env).limits;
  const validated = await validateManifests(found, { surroundings, schemaMs, dialect });
  const rows = [
    ...(await Promise.all(validated.map(toRow))),
    ...(await Promise.all([...agents].map(toAgentRow))),
    ...unlisted.values(),
  ];
  io.stdout.write(options.json ? toJson(rows) : toText(rows, io.cwd));
  return rows.every(({ ok }) => ok) ? 0 : 1;
};

interface Options {
  readonly json: boolean;
  readonly dialect: DialectId | undefined;
  readonly paths: readonly string[];
}

function misuse(io: CommandIo, message: string): number {
  io.stderr.write(`gatehouse check: ${message}\n${USAGE}`);
  return 2;
}

function parseArguments(args: readonly string[]): Options | string {
  const paths: string[] = [];
  let json = false;
  let dialect: DialectId | undefined;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (word === '--') {
      paths.push(...args.slice(at + 1));
      break;
    }
    if (word === '--json') json = true;
    else if (word === '--dialect' || word.startsWith('--dialect=')) {
      const name = word === '--dialect' ? (args[++at] ?? '') : word.slice('--dialect='.length);
      if (!isDialectId(name)) return `unknown dialect "${name}"`;
      dialect = name;
    } else if (word.startsWith('-')) return `unknown option ${word}`;
    else paths.push(word);
  }
  return paths.length === 0 ? 'no PATH given' : { json, dialect, paths };
}

/** A file and what was found in it. */
interface Row {
  readonly file: string;
  readonly dialect: DialectId | 'agent';
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  /** Ids as written. */
  readonly tools: readonly string[];
}

type Problem = Pick<Diagnostic, 'pointer' | 'line' | 'column' | 'severity' | 'message' | 'hint'>;

async function toRow(manifest: Manifest): Promise<Row> {
  const { file, dialect, diagnostics, ids } = manifest;
  const problems: Problem[] = [...diagnostics];
  // What an acceptance covers can't be accepted while it can't be read.
  const print = isAccepted(manifest) ? await getFingerprint(manifest) : undefined;
  if (print?.ok === false) problems.push(toProblem(print.error));
  const ok = problems.every(({ severity }) => severity !== 'error');
  return { file, dialect, ok, problems, tools: ids.map(({ id }) => id) };
}

async function toAgentRow(file: string): Promise<Row> {
  const read = await readAgent(file);
  if (!read.ok) return toFailedRow(file, [read.error]);
  return { file, dialect: 'agent', ok: true, problems: [], tools: [] };
}

/** An agent definition, or a folder of them, that can't be used. */
function toFailedRow(file: string, errors: readonly string[]): Row {
  return { file, dialect: 'agent', ok: false, problems: errors.map(toProblem), tools: [] };
}

/** A problem of the whole file. */
function toProblem(message: string): Problem {
  return { pointer: '', line: 1, column: 1, severity: 'error', message };
}

function toJson(rows: readonly Row[]): string {
  const shown = rows.map(({ problems, tools, ...row }) => ({
    ...row,
    problems: problems.map(({ pointer, line, column, severity, message }) => ({
      pointer,
      line,
      column,
      severity,
      message,
    })),
    tools,
  }));
  return `${JSON.stringify(shown, undefined, 2)}\n`;
}

function toText(rows: readonly Row[], cwd: string): string {
  const lines = rows.flatMap(({ file: full, ok, dialect, tools, problems }) => {
    const file = path.relative(cwd, full) || full;
    const count = `${tools.length} tool${tools.length === 1 ? '' : 's'}`;
    const about = dialect === 'agent' ? 'agent' : `${dialect}, ${count}`;
    return [
      `${file}: ${ok ? 'ok' : 'refused'} (${about})`,
      ...problems.flatMap(({ line, column, severity, message, hint }) => [
        `${file}:${line}:${column}: ${severity}: ${message}`,
        ...(hint === undefined ? [] : [`  ${hint}`]),
      ]),
    ];
  });
  // Messages quote the file, so hidden characters must not reach the terminal.
  const safe = lines.map(toVisibleLine);
  return safe.length === 0 ? 'no manifests found\n' : `${safe.join('\n')}\n`;
}
