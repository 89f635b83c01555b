import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { getCode, getMessage } from '../base/faults.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';
import { KB } from '../base/units.ts';
import { BUILT_IN_AGENT } from './builtIn.ts';
import type { AgentDefinition } from './definition.ts';

export interface AgentFolders {
  /**
   * Workspace folders, absolute; empty while the workspace is untrusted, so that nothing in it is
   * read.
   */
  readonly workspace: readonly string[];
  /** The user's configuration folder, absolute. */
  readonly config: string;
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
  /** Warnings for the user: files that were not read, and definitions that are hidden. */
  readonly warnings: readonly string[];
}

export interface WaitingAgent {
  /** Taken from the file name; the content is not parsed before the user accepts it. */
  readonly name: string;
  readonly file: string;
}

/** Limits: files read per folder, and bytes per file. */
const FILES = 200;
const BYTES = 256 * KB;

/** Finds all agents that a session in this workspace can use. */
export async function discoverAgents(folders: AgentFolders): Promise<DiscoveredAgents> {
  const { acceptances } = folders;
  const found = createFound();
  for (const root of folders.workspace) {
    const folder = path.join(root, '.gatehouse', 'agents');
    for (const file of await listFiles(folder, found.warn)) {
      await readWorkspaceAgent(file, acceptances, found);
    }
  }
  for (const file of await listFiles(path.join(folders.config, 'agents'), found.warn)) {
    await readUserAgent(file, acceptances, found);
  }
  found.add(BUILT_IN_AGENT, 'the built-in agent');
  return found.result;
}

interface Found {
  readonly result: DiscoveredAgents;
  add(definition: AgentDefinition, where: string): void;
  wait(file: string): void;
  warn(warning: string): void;
}

function createFound(): Found {
  const nearest = new Map<
    string,
    { readonly definition: AgentDefinition; readonly where: string }
  >();
  const waiting: WaitingAgent[] = [];
  const warnings: string[] = [];
  return {
    get result() {
      return {
        definitions: [...nearest.values()].map((each) => each.definition),
        waiting,
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
  if (!bytes.ok) return found.warn(bytes.error);
  if (!acceptances.has(file, sha256(bytes.data))) return found.wait(file);
  const parsed = await parse(bytes.data, file);
  if (parsed.ok) found.add(parsed.data, file);
  else found.warn(parsed.error);
}

/** The user's own agents need no acceptance, but their extra roots do (spec decision 23). */
async function readUserAgent(
  file: string,
  acceptances: AcceptedFiles,
  found: Found,
): Promise<void> {
  const bytes = await readRegularFile(file);
  if (!bytes.ok) return found.warn(bytes.error);
  const parsed = await parse(bytes.data, file);
  if (!parsed.ok) return found.warn(parsed.error);
  const { roots } = parsed.data;
  if (roots.length === 0 || acceptances.has(file, sha256(bytes.data))) {
    return found.add(parsed.data, file);
  }
  found.warn(`${file}: its roots have no effect until you run: gatehouse accept ${file}`);
  found.add({ ...parsed.data, roots: [] }, file);
}

/** Imported on demand: most workspaces have no agent files, and the parsers are large. */
async function parse(bytes: Buffer, file: string): Promise<Outcome<AgentDefinition>> {
  const { parseAgentDefinition } = await import('./parse.ts');
  return parseAgentDefinition(bytes.toString('utf8'), file);
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
