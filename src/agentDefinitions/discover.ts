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
  /** The workspace's folders, absolute; none while the workspace is not trusted: then nothing in it is read. */
  readonly workspace: readonly string[];
  /** The folder of the user's own settings, absolute. */
  readonly config: string;
  readonly acceptances: AcceptedFiles;
}

/** The files that the user has accepted, by path and SHA-256 in hex of their bytes. */
export interface AcceptedFiles {
  has(file: string, hash: string): boolean;
}

export interface DiscoveredAgents {
  /** One for each name: the nearest. The workspace's come first, then the user's, then the built-in one. */
  readonly definitions: readonly AgentDefinition[];
  /** The workspace's files that do nothing until the user accepts them. */
  readonly waiting: readonly WaitingAgent[];
  /** Sentences for the user: files that are not read, definitions that hide others. */
  readonly warnings: readonly string[];
}

export interface WaitingAgent {
  /** By the file's name; what is in the file is not looked at before it is accepted. */
  readonly name: string;
  readonly file: string;
}

/** Files in one folder, and bytes of one file, that are read at most. */
const FILES = 200;
const BYTES = 256 * KB;

/** Every agent that a session in this workspace can be started as. */
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

/** A repository's agent does nothing before its bytes, as they are now, were accepted. */
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

/** The user's own agent needs no acceptance; the folders that it opens do (spec decision 23). */
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
  found.warn(`${file}: its roots are not open until you run: gatehouse accept ${file}`);
  found.add({ ...parsed.data, roots: [] }, file);
}

/** Loaded for the first file: most workspaces have none, and the parsers are heavy. */
async function parse(bytes: Buffer, file: string): Promise<Outcome<AgentDefinition>> {
  const { parseAgentDefinition } = await import('./parse.ts');
  return parseAgentDefinition(bytes.toString('utf8'), file);
}

/** The `*.md` files of a folder, sorted. A folder that is not there has none. */
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

// Windows has neither flag.
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/** A link could lead out of the workspace, and a pipe would never end: neither is read. */
async function readRegularFile(file: string): Promise<Outcome<Buffer>> {
  const refused = failure(`${file}: an agent's definition must be a regular file.`);
  try {
    if (!(await lstat(file)).isFile()) return refused;
    // What lies there may be another by now, so the open looks again.
    const handle = await open(file, READ);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return refused;
      if (stats.size > BYTES) return failure(`${file}: longer than ${BYTES / KB} KB.`);
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
