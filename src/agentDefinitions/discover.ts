import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { toText } from '../base/disk/readRegular.ts';
import { getCode, getMessage } from '../base/faults.ts';
import { shorten, showHidden } from '../base/hidden.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';
import { removeInvisible } from '../base/text/invisible.ts';
import { KB } from '../base/units.ts';
import { BUILT_IN_AGENTS } from './builtIn.ts';
import type { AgentDefinition } from './definition.ts';

export interface AgentFolders {
  /**
   * Workspace folders, absolute; empty while the workspace is untrusted, so that nothing in it is
   * read.
   */
  readonly workspace: readonly string[];
  /** The user's configuration folder, absolute. */
  readonly config: string;
  /** The user's home folder, absolute. */
  readonly home: string;
  readonly acceptances: AcceptedFiles;
}

/** Files the user has accepted, by path and SHA-256 of their bytes in hex. */
export interface AcceptedFiles {
  has(file: string, hash: string): boolean;
}

export interface DiscoveredAgents {
  /** One per name, from the nearest location: workspace, then user, then built-in. */
  readonly definitions: readonly AgentDefinition[];
  /** Workspace files that have no effect until the user accepts them. */
  readonly waiting: readonly WaitingAgent[];
  /** Files that define no agent, with the reason. */
  readonly broken: readonly BrokenAgent[];
  /** Warnings for the user: files that were not read, and definitions that are hidden. */
  readonly warnings: readonly string[];
}

export interface WaitingAgent {
  /** Taken from the file name; the content is not parsed before the user accepts it. */
  readonly name: string;
  readonly file: string;
}

export interface BrokenAgent {
  /** Taken from the file name. */
  readonly name: string;
  readonly why: string;
}

/** Limits: files read per folder, and bytes per file. */
const FILES = 200;
const BYTES = 256 * KB;

/** Finds all agents that a session in this workspace can use. */
export async function discoverAgents(folders: AgentFolders): Promise<DiscoveredAgents> {
  const { acceptances } = folders;
  const found = createFound();
  for (const root of folders.workspace) {
    const { files, warnings } = await listAgents(root);
    warnings.forEach(found.warn);
    for (const file of files) {
      await readWorkspaceAgent(file, acceptances, found);
    }
  }
  const own = [path.join(folders.config, 'agents'), path.join(folders.home, ...CLAUDE_AGENTS)];
  for (const folder of own) {
    for (const file of await listFiles(folder, found.warn)) {
      await readUserAgent(file, acceptances, found);
    }
  }
  for (const agent of BUILT_IN_AGENTS) found.add(agent, 'the built-in agent');
  return found.result;
}

interface Found {
  readonly result: DiscoveredAgents;
  add(definition: AgentDefinition, where: string): void;
  wait(file: string): void;
  refuse(file: string, why: string): void;
  warn(warning: string): void;
}

function createFound(): Found {
  const nearest = new Map<
    string,
    { readonly definition: AgentDefinition; readonly where: string }
  >();
  const waiting: WaitingAgent[] = [];
  const broken: BrokenAgent[] = [];
  const warnings: string[] = [];
  return {
    get result() {
      return {
        definitions: [...nearest.values()].map((each) => each.definition),
        waiting,
        broken,
        warnings,
      };
    },
    add(definition, where) {
      const { name } = definition;
      const nearer = nearest.get(name);
      if (nearer === undefined) nearest.set(name, { definition, where });
      else warnings.push(`Agent "${name}": ${nearer.where} hides ${where}.`);
    },
    wait: (file) => void waiting.push({ name: path.basename(file, '.md'), file }),
    refuse(file, why) {
      broken.push({ name: path.basename(file, '.md'), why });
      warnings.push(why);
    },
    warn: (warning) => void warnings.push(warning),
  };
}

/** Parses a workspace agent only if the user has accepted exactly these bytes. */
async function readWorkspaceAgent(
  file: string,
  acceptances: AcceptedFiles,
  found: Found,
): Promise<void> {
  const bytes = await readRegularFile(file);
  if (!bytes.ok) return found.refuse(file, bytes.error);
  if (!acceptances.has(file, sha256(bytes.data))) return found.wait(file);
  const parsed = await parse(bytes.data, file);
  if (!parsed.ok) return found.refuse(file, parsed.error);
  warnOfIgnored(parsed.data, file, found);
  found.add(parsed.data.definition, file);
}

function warnOfIgnored({ ignored }: ParsedAgent, file: string, found: Found): void {
  if (ignored.length === 0) return;
  const names = ignored.map((each) => shorten(showHidden(each), 60)).join(', ');
  found.warn(`${file}: it has no effect here: ${shorten(names, 400)}.`);
}

/** The user's own agents need no acceptance, but their extra roots do (spec decision 23). */
async function readUserAgent(
  file: string,
  acceptances: AcceptedFiles,
  found: Found,
): Promise<void> {
  const read = await readAgent(file);
  if (!read.ok) return found.refuse(file, read.error);
  const { definition, hash } = read.data;
  warnOfIgnored(read.data, file, found);
  if (definition.roots.length === 0 || acceptances.has(file, hash)) {
    return found.add(definition, file);
  }
  found.warn(`${file}: its roots have no effect until you run: gatehouse accept ${file}`);
  found.add({ ...definition, roots: [] }, file);
}

interface ParsedAgent {
  readonly definition: AgentDefinition;
  /** What in the file has no effect, which only files of Claude Code may have. */
  readonly ignored: readonly string[];
}

/** A definition, and the SHA-256 of its file in hex. */
export interface ReadAgent extends ParsedAgent {
  readonly hash: string;
}

/** Reads and parses one definition, as sessions, `gatehouse check` and `gatehouse accept` all do. */
export async function readAgent(file: string): Promise<Outcome<ReadAgent>> {
  const bytes = await readRegularFile(file);
  if (!bytes.ok) return bytes;
  const parsed = await parse(bytes.data, file);
  return parsed.ok ? success({ ...parsed.data, hash: sha256(bytes.data) }) : parsed;
}

/** The definitions of a workspace folder. */
export interface ListedAgents {
  /** The folder of Gatehouse's own agents. */
  readonly folder: string;
  /** Sorted. */
  readonly files: readonly string[];
  /** What could not be listed. */
  readonly warnings: readonly string[];
}

export async function listAgents(root: string): Promise<ListedAgents> {
  const warnings: string[] = [];
  const warn = (warning: string) => void warnings.push(warning);
  const folder = path.join(root, '.gatehouse', 'agents');
  const claude = path.join(root, ...CLAUDE_AGENTS);
  const files = [...(await listFiles(folder, warn)), ...(await listFiles(claude, warn))];
  return { folder, files, warnings };
}

/** Agents of Claude Code, below a workspace folder or the user's home. */
const CLAUDE_AGENTS = ['.claude', 'agents'] as const;

function isClaudeAgent(file: string): boolean {
  return path.dirname(file).endsWith(path.join(path.sep, ...CLAUDE_AGENTS));
}

/** Imported on demand: most workspaces have no agent files, and the parsers are large. */
async function parse(bytes: Buffer, file: string): Promise<Outcome<ParsedAgent>> {
  const { parseAgentDefinition, parseClaudeAgent } = await import('./parse.ts');
  const read = toText({ state: 'read', bytes });
  if (read.state !== 'read') return failure(`${file}: it is not UTF-8.`);
  // Whoever reads or accepts the file would not see what they say.
  const { hidden } = removeInvisible(read.text);
  if (hidden > 0) return failure(`${file}: it has ${hidden} invisible characters. Remove them.`);
  if (isClaudeAgent(file)) return parseClaudeAgent(read.text, file);
  const parsed = await parseAgentDefinition(read.text, file);
  return parsed.ok ? success({ definition: parsed.data, ignored: [] }) : parsed;
}

/** The `*.md` files of a folder, sorted. A missing folder has none. */
async function listFiles(folder: string, warn: (warning: string) => void): Promise<string[]> {
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).sort();
    if (names.length > FILES) warn(`${folder}: only the first ${FILES} agents are read.`);
    return names.slice(0, FILES).map((name) => path.join(folder, name));
  } catch (fault) {
    const code = getCode(fault);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') warn(`${folder}: ${getMessage(fault)}`);
    return [];
  }
}

// Windows lacks both flags.
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/** Rejects links, which could lead out of the workspace, and pipes, which could block forever. */
async function readRegularFile(file: string): Promise<Outcome<Buffer>> {
  const refused = failure(`${file}: an agent's definition must be a regular file.`);
  try {
    if (!(await lstat(file)).isFile()) return refused;
    // The file may have been replaced meanwhile, so check again after opening.
    const handle = await open(file, READ);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return refused;
      if (stats.size > BYTES) return failure(`${file}: larger than ${BYTES / KB} KB.`);
      return success(await handle.readFile());
    } finally {
      await handle.close();
    }
  } catch (fault) {
    return getCode(fault) === 'ELOOP' ? refused : failure(`${file}: ${getMessage(fault)}`);
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
