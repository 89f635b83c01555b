import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { type ParseError, parse as parseJsonc } from 'jsonc-parser';
import { readRegularText } from '../../base/disk/readRegular.ts';
import { getMessage } from '../../base/faults.ts';
import { isRecord, toRecord } from '../../base/json.ts';
import type { BadServer, McpServer } from '../../base/tools/mcpServer.ts';
import { MB } from '../../base/units.ts';
import type { SourceSession } from '../../tools/toolSource.ts';
import { parseInputs } from './parseInputs.ts';
import { type ParseContext, parseServer } from './parseServer.ts';

export interface FoundServers {
  readonly servers: readonly McpServer[];
  readonly bad: readonly BadServer[];
}

/** The files of a workspace folder that name MCP servers, with the field that holds them. */
const FILES = [
  ['.vscode/mcp.json', 'servers'],
  ['.mcp.json', 'mcpServers'],
] as const;

export interface ReadOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The file that acceptances of servers from the settings are kept for. Absolute. */
  readonly settingsKey: string;
  /** What the user gave for an input of a file. */
  readonly inputs?: Inputs;
}

type Inputs = (file: string, id: string, hash: string) => string | undefined;

/**
 * All servers of a session, those of the settings first. An untrusted workspace has none: a server runs in its folder,
 * and programs such as `npx` run files from the folder they are started in.
 */
export function readServers(session: SourceSession, options: ReadOptions): FoundServers {
  if (!session.trusted) return NONE;
  const { env, settingsKey, inputs = () => undefined } = options;
  const [folder = homedir()] = session.folders;
  const file = settingsKey;
  const input = (id: string, hash: string) => inputs(file, id, hash);
  const own = parseAll(toRecord(session.mcp?.configured), {
    ...{ origin: 'settings', file, folder, env, input },
  });
  const files = readWorkspaceServers(session.folders, env, inputs);
  return merge([own, files, { servers: session.mcp?.servers ?? [], bad: [] }]);
}

const NONE: FoundServers = { servers: [], bad: [] };

/** Changes when a file that names servers may have. */
export function readServerStamps({ folders, trusted }: SourceSession): string {
  if (!trusted) return '';
  const files = folders.flatMap((folder) => FILES.map(([name]) => path.join(folder, name)));
  return files.map(readStamp).join();
}

function readStamp(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? '' : `${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
}

/** Servers of the workspace's files. */
function readWorkspaceServers(
  folders: readonly string[],
  env: NodeJS.ProcessEnv,
  inputs: Inputs,
): FoundServers {
  const all = folders.flatMap((folder) =>
    FILES.map(([name, field]) => {
      const file = path.join(folder, name);
      const input = (id: string, hash: string) => inputs(file, id, hash);
      return readFile(file, field, { origin: 'workspace', file, folder, env, input });
    }),
  );
  return merge(all);
}

function readFile(file: string, field: string, context: Omit<ParseContext, 'name'>): FoundServers {
  const read = readRegularText(file, MB);
  if (read.state === 'absent') return { servers: [], bad: [] };
  if (read.state === 'unreadable') return toBad(file, `The file cannot be read: ${read.why}.`);
  try {
    return parseFile(read.text, field, context);
  } catch (fault) {
    // One that is nested thousands deep overflows the stack.
    return toBad(file, `The file cannot be read: ${getMessage(fault)}.`);
  }
}

function toBad(file: string, why: string): FoundServers {
  return { servers: [], bad: [{ name: path.basename(file), file, why }] };
}

function parseFile(text: string, field: string, context: Omit<ParseContext, 'name'>): FoundServers {
  const errors: ParseError[] = [];
  const value: unknown = parseJsonc(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || !isRecord(value)) {
    return toBad(context.file, 'The file is not valid JSON.');
  }
  return parseAll(toRecord(value[field]), { ...context, inputs: parseInputs(value['inputs']) });
}

/** Far more than anyone uses. */
const MOST_SERVERS = 100;

function parseAll(
  entries: Readonly<Record<string, unknown>>,
  context: Omit<ParseContext, 'name'>,
): FoundServers {
  const servers: McpServer[] = [];
  const bad: BadServer[] = [];
  for (const [name, entry] of Object.entries(entries).slice(0, MOST_SERVERS)) {
    const parsed = parseServer(entry, { ...context, name });
    if (!parsed.ok) bad.push({ name, file: context.file, why: parsed.error });
    else if (parsed.data !== undefined) servers.push(parsed.data);
  }
  return { servers, bad };
}

function merge(all: readonly FoundServers[]): FoundServers {
  return {
    servers: all.flatMap(({ servers }) => servers),
    bad: all.flatMap(({ bad }) => bad),
  };
}
