import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { BUILT_IN_AGENT } from '../../agentDefinitions/builtIn.ts';
import type { AgentDefinition } from '../../agentDefinitions/definition.ts';
import { getMessage } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { Chunk } from '../../base/stream/chunk.ts';
import type { Envelope } from '../../base/stream/envelope.ts';
import { LONGEST_TIMER } from '../../base/units.ts';
import { isFolder } from '../../declared/findManifests.ts';
import { DEFAULT_RULES } from '../../permissions/defaults/defaults.ts';
import type { PolicyFolders } from '../../permissions/patterns/roots.ts';
import { parseRules } from '../../permissions/rules/parseRules.ts';
import type { Policy } from '../../permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../permissions/rules/policyCompiler.ts';
import type { CapabilitySet, RequirementSet } from '../../permissions/rules/requirements.ts';
import type { Rule } from '../../permissions/rules/rule.ts';
import { createReadGit } from '../../runtime/commands/readGit.ts';
import { describeKept, recoverJournal } from '../../runtime/files/journal.ts';
import { createRuntime } from '../../runtime/local/createRuntime.ts';
import type { NetHooks } from '../../runtime/net/net.ts';
import type { Gate } from '../../runtime/runtime.ts';
import { sweepSidecars } from '../../runtime/sidecars.ts';
import { callTool } from '../../tools/callTool.ts';
import type { SessionTools } from '../../tools/composeTools.ts';
import type { Tool } from '../../tools/contract.ts';
import { parseRequirements } from '../../tools/parseRequirements.ts';
import type { Registry } from '../../tools/registry.ts';
import type { Command, CommandIo } from '../command.ts';
import { openAcceptances } from '../config/acceptance.ts';
import { type DataFolder, openDataFolder } from '../config/dataFolder.ts';
import { readFolderSettings } from '../config/folderSettings.ts';
import type { Settings } from '../config/settings.ts';
import { createGitGuard } from '../session/copy/findNamedByGit.ts';
import { effectiveCapabilities } from '../session/policy/capabilities.ts';
import { findRenames, renameRules } from '../session/policy/renames.ts';
import { whyMissing } from '../session/tools/missingTool.ts';
import { openToolCatalog } from '../tools/toolSources.ts';
import type { CallAgent } from './callAgent.ts';
import { createCallConfinement } from './callConfinement.ts';
import { createCallWatchdog } from './callWatchdog.ts';
import { parseJson, readJsonOption } from './jsonOption.ts';

export const USAGE = `usage: gatehouse call TOOL [JSON|-] [--workspace DIR]... [--rules JSON|FILE] [--capabilities JSON|FILE | --agent FILE] [--user-data DIR]

Runs one tool call through the gate, without a user: calls that would ask are denied unless --rules allow them.
TOOL is a built-in tool, or one that an accepted manifest in the workspace declares.
Prints the result, the envelope, as one line of JSON.

  JSON                 the tool's arguments; - reads them from standard input; default {}
  --workspace DIR      an open folder; may be repeated; default: none
  --rules JSON|FILE    an array of rules, {"permission", "pattern", "action"}, instead of the shipped ones
  --capabilities JSON|FILE
                       a requirement set that limits the call; default: the set of a session
  --agent FILE         an agent's manifest: the call runs as this agent, with its tools, capabilities and rules;
                       what it allows counts once you have accepted it
  --user-data DIR      the host's data folder

A value that starts with [ or { is JSON, any other is the name of a file.

exit: 0 output, 1 error or ended by a signal, 2 invalid flags, files or JSON
`;

/** `gatehouse call`: one tool call through the same gate as an agent's. */
export const run: Command = createCall({});

/** The command with its network replaced, for tests. */
export function createCall(hooks: { readonly net?: NetHooks }): Command {
  return async (io) => {
    const request = await parseRequest(io);
    if (!request.ok) {
      io.stderr.write(`gatehouse call: ${request.error}\n\n${USAGE}`);
      return 2;
    }
    const abort = new AbortController();
    const end = () => abort.abort();
    // Not `once`: a second signal would kill us immediately, and orphan the command.
    for (const signal of ENDS) process.on(signal, end);
    try {
      const envelope = await execute(request.data, io, abort.signal, hooks.net);
      io.stdout.write(`${JSON.stringify(envelope)}\n`);
      return envelope.type === 'output' && !abort.signal.aborted ? 0 : 1;
    } finally {
      for (const signal of ENDS) process.off(signal, end);
    }
  };
}

/** These signals end the call: its process tree is killed, and the output so far is printed. */
const ENDS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

interface Request {
  readonly tool: string;
  readonly input: unknown;
  /** The arguments as written, which an agentcli tool gets unchanged (spec A-19). */
  readonly inputText: string;
  readonly workspace: readonly string[];
  readonly rules: readonly Rule[];
  readonly capabilities: CapabilitySet;
  readonly definition: AgentDefinition;
  readonly registry: Registry;
  readonly found: SessionTools;
  readonly settings: Settings;
  readonly data: DataFolder;
}

async function parseRequest(io: CommandIo): Promise<Outcome<Request>> {
  const words = parseWords(io);
  if (!words.ok) return words;
  const { positionals, values } = words.data;
  const [tool, json = '{}', ...more] = positionals;
  if (tool === undefined) return failure('expected a TOOL.');
  if (more.length > 0) return failure(`unexpected argument: ${more.join(' ')}`);
  const text = json === '-' ? await readAll(io.stdin) : json;
  const input = parseJson(text, 'the arguments');
  if (!input.ok) return input;
  const workspace = (values.workspace ?? []).map((folder) => path.resolve(io.cwd, folder));
  const missing = workspace.find((folder) => !isFolder(folder));
  if (missing !== undefined) return failure(`--workspace: there is no folder ${missing}.`);
  const rules = await readRules(values.rules, io);
  if (!rules.ok) return rules;
  const capabilities = await readCapabilities(values.capabilities, io);
  if (!capabilities.ok) return capabilities;
  const data = openData(values['user-data'], io);
  if (!data.ok) return data;
  const agent = await readAgent(values, data.data, io);
  if (!agent.ok) return agent;
  const definition = agent.data?.definition ?? BUILT_IN_AGENT;
  const folders = [...workspace, ...(agent.data?.roots ?? [])];
  const folder = folders[0] ?? data.data.scratch;
  const settings = readFolderSettings(folder, io.env, data.data.accepted);
  const found = await readTools({ folders, agent: definition.name, settings }, data.data, io);
  const all = found.registry.list();
  const own = agent.data?.narrow(all);
  return success({
    tool,
    input: input.data,
    inputText: text.replace(/^\ufeff/, ''),
    workspace: folders,
    rules: renameRules([...(agent.data?.rules ?? []), ...rules.data], findRenames(all)),
    capabilities: own?.capabilities ?? capabilities.data ?? defaultSet(definition, all),
    definition,
    registry: own?.registry ?? found.registry,
    found,
    settings,
    data: data.data,
  });
}

/** The set of a session of this agent. */
function defaultSet(definition: AgentDefinition, tools: readonly Tool[]): CapabilitySet {
  return effectiveCapabilities({ definition, tools, approval: 'ask' });
}

interface ToolScope {
  readonly folders: readonly string[];
  readonly agent: string;
}

/** The tools of a session over these folders: the host's own, and those of accepted manifests. */
async function readTools(
  { settings, ...scope }: Pick<Request, 'settings'> & ToolScope,
  data: DataFolder,
  { env }: CommandIo,
): Promise<SessionTools> {
  const acceptances = openAcceptances(data.accepted);
  // There is no later turn that would see a slow source.
  const catalog = openToolCatalog({ env, data, acceptances }, LONGEST_TIMER);
  const { disabled, ...declared } = settings.declaredTools;
  try {
    const session = { id: 'call', trusted: true, searchHosts: [], ...scope, ...declared };
    return await catalog.get(session, disabled);
  } finally {
    catalog.dispose();
  }
}

async function readAgent(
  { agent, capabilities }: { readonly agent?: string; readonly capabilities?: string },
  { accepted }: DataFolder,
  { cwd, env, stderr }: CommandIo,
): Promise<Outcome<CallAgent | undefined>> {
  if (agent === undefined) return success(undefined);
  if (capabilities !== undefined) return failure('give --agent or --capabilities, not both.');
  const { readCallAgent } = await import('./callAgent.ts');
  const read = await readCallAgent(path.resolve(cwd, agent), { accepted, env });
  if (read.ok && read.data.waiting.length > 0) {
    const what = read.data.waiting.join(' and ');
    stderr.write(`${agent}: its ${what} have no effect until you run: gatehouse accept ${agent}\n`);
  }
  return read;
}

function openData(folder: string | undefined, { env, cwd }: CommandIo): Outcome<DataFolder> {
  const given = folder === undefined ? {} : { GATEHOUSE_DATA: path.resolve(cwd, folder) };
  try {
    return success(openDataFolder({ ...env, ...given }));
  } catch (fault) {
    return failure(getMessage(fault));
  }
}

function parseWords({ args }: CommandIo) {
  const options = {
    workspace: { type: 'string', multiple: true },
    rules: { type: 'string' },
    capabilities: { type: 'string' },
    agent: { type: 'string' },
    'user-data': { type: 'string' },
  } as const;
  try {
    return success(parseArgs({ args: [...args], options, allowPositionals: true }));
  } catch (fault) {
    return failure(getMessage(fault));
  }
}

async function readRules(
  given: string | undefined,
  io: CommandIo,
): Promise<Outcome<readonly Rule[]>> {
  if (given === undefined) return success(DEFAULT_RULES);
  const read = await readJsonOption(given, '--rules', io.cwd);
  if (!read.ok) return read;
  const { value, name } = read.data;
  const { rules, problems } = parseRules(value, 'session', { layer: 'file', file: name });
  if (!Array.isArray(value)) return failure(`${name}: ${problems[0]?.message}`);
  for (const { index, message } of problems) {
    io.stderr.write(`${name}: rule ${index + 1}: ${message}\n`);
  }
  return success(rules);
}

async function readCapabilities(
  given: string | undefined,
  { cwd }: CommandIo,
): Promise<Outcome<RequirementSet | undefined>> {
  if (given === undefined) return success(undefined);
  const read = await readJsonOption(given, '--capabilities', cwd);
  if (!read.ok) return read;
  const parsed = await parseRequirements(read.data.value);
  return parsed.ok ? parsed : failure(`${read.data.name}: ${parsed.error}`);
}

async function readAll(stream: Readable): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}

async function execute(
  { workspace, rules, capabilities, definition, registry, found, settings, data, ...call }: Request,
  io: CommandIo,
  signal: AbortSignal,
  net: NetHooks | undefined,
): Promise<Envelope> {
  const sessionId = `call-${randomUUID()}`;
  const folders = toPolicyFolders(workspace, data, sessionId);
  await recoverJournal(data.state, (kept) => io.stderr.write(`${describeKept(kept)}\n`));
  await sweepSidecars(data.state);
  const policy: Policy = {
    ...{ rules, capabilities, folders },
    shell: process.platform === 'win32' ? 'pwsh' : 'bash',
    platform: process.platform,
    headless: true,
    lookMs: settings.limits.lookMs,
    readGit: createReadGit(workspace, io.env),
    isNamedByGit: createGitGuard(workspace),
  };
  const runtime = createRuntime({
    folders: () => folders,
    limits: () => settings.limits,
    shell: policy.shell,
    env: io.env,
    passes: () => settings.passedVariables,
    session: {
      id: sessionId,
      setTodo: () => undefined,
      count: () => 1,
    },
    ...(net && { net }),
  });
  const sandbox = createCallConfinement(settings, sessionId, folders, data, io.env);
  const context = {
    sessionId,
    registry,
    whyMissing: (id: string) => whyMissing(id, found, { id: sessionId, definition }),
    watchdog: createCallWatchdog(definition, settings, folders.cwd, io.env),
    policy: () => policy,
    compiler: createPolicyCompiler(),
    ...(sandbox && { confine: sandbox.confine }),
    runtime: (id: string, ends: AbortSignal, emit: (chunk: Chunk) => void, gate: Gate) =>
      runtime.runtime(id, ends, emit, gate, sandbox?.start(gate)),
  };
  try {
    const request = { toolCallId: 'call', ...call };
    return await callTool(request, context, () => undefined, signal);
  } finally {
    await runtime.close();
    await sandbox?.dispose();
  }
}

/** Without an open folder, relative paths start in a scratch folder, and nothing is granted (spec C-39). */
function toPolicyFolders(
  workspace: readonly string[],
  data: DataFolder,
  sessionId: string,
): PolicyFolders {
  return {
    workspace,
    adHoc: [],
    userData: data.user,
    state: data.state,
    sidecars: data.sidecars(sessionId),
    settings: data.settings,
    cwd: workspace[0] ?? data.scratch,
  };
}
