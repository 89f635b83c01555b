import path from 'node:path';
import type { DialectId } from '../base/tools/dialectFacts.ts';
import type { Tool } from '../tools/contract.ts';
import { agentcliTool } from './agentcli/agentcliTool.ts';
import type { AgentcliEntry } from './agentcli/entry.ts';
import { scaffoldAgentcli } from './agentcli/scaffold.ts';
import { compozyTool } from './compozy/compozyTool.ts';
import type { CompozyEntry } from './compozy/entry.ts';
import { templatePaths } from './compozy/parseTemplate.ts';
import { scaffoldCompozy } from './compozy/scaffold.ts';
import type { ToolEntry } from './dialects.ts';
import { registrySchema, type Surroundings } from './manifest/parseSurroundings.ts';
import type { Manifest } from './parseManifest.ts';
import type { DeclaredOptions } from './run/options.ts';
import type { RunloopEntry } from './runloop/entry.ts';
import { type CapsLayer, parseCaps } from './runloop/parseCaps.ts';
import { referenceResolver } from './runloop/parseSchemas.ts';
import { deniedNeed, runloopTool } from './runloop/runloopTool.ts';
import { scaffoldRunloop } from './runloop/scaffold/scaffold.ts';
import type { Scaffold } from './scaffold/scaffold.ts';

/** What a tool is created with, besides its entry. */
export interface ToolContext {
  readonly manifest: Manifest;
  readonly surroundings: Surroundings;
  readonly options: DeclaredOptions;
  /** The agent that gets the tools. */
  readonly agent?: string;
  /** The text of the user's override that narrows a bundle's `policy.caps` (spec D-38), by the bundle's name. */
  readonly override?: (bundle: string) => string | undefined;
}

/** A function tool of OpenAI's format; what is undefined is left out. */
export interface FunctionTool {
  readonly name: string;
  readonly parameters: unknown;
}

/** How a dialect's tools are created and run: the half of its row in `dialects.ts` that the language server leaves out. */
interface ToolMaker<Entry> {
  /** What the user accepts, in one line: the program, the request, the module. */
  toRunsLine(entry: Entry): string;
  /** Whether nothing limits which hosts it reaches. */
  reachesAnyHost(entry: Entry): boolean;
  /** The tool, or why it is not offered. */
  makeTool(entry: Entry, context: ToolContext): Tool | string;
  /** The name under which the tool is exported, and the schema of its arguments. */
  toFunctionTool(entry: Entry): FunctionTool;
  readonly scaffold: Scaffold;
}

type EntryOf<Id extends DialectId> = Extract<ToolEntry, { readonly dialect: Id }>;
type ToolMakers = { readonly [Id in DialectId]: ToolMaker<EntryOf<Id>> };

/** Two words must not look like one, nor an empty word like none. */
function toCommandLine(words: readonly string[]): string {
  const shown = words.map((word) => (/^[^\s'"\\]+$/.test(word) ? word : quote(word)));
  return shown.join(' ');
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** With the names of the variables and secrets that it gets. */
function withGiven(line: string, given: Readonly<Record<string, readonly string[]>>): string {
  const parts = Object.entries(given).filter(([, names]) => names.length > 0);
  return [line, ...parts.map(([what, names]) => `${what} ${names.join(', ')}`)].join(' · ');
}

const agentcli: ToolMaker<AgentcliEntry> = {
  toRunsLine: ({ program, command, envPassthrough }) =>
    withGiven(toCommandLine([program, ...command.slice(1)]), { variables: envPassthrough }),
  reachesAnyHost: () => true,
  makeTool: (entry, { options }) => agentcliTool(entry, options),
  toFunctionTool: ({ id, schema }) => ({ name: id, parameters: schema }),
  scaffold: scaffoldAgentcli,
};

const compozy: ToolMaker<CompozyEntry> = {
  toRunsLine({ id, project, env }) {
    const paths = env.flatMap(({ value }) => templatePaths(value));
    const read = paths.flatMap(([root, name]) => (root === 'env' ? (name ?? 'all') : []));
    const variables = env.map(({ name }) => name);
    const given = { variables, 'from your environment': [...new Set(read)] };
    return withGiven(`${id} of ${project.entrypoint}`, given);
  },
  reachesAnyHost: () => true,
  makeTool(entry, { manifest: { file }, surroundings, agent, options }) {
    const resolve = (reference: string): unknown =>
      registrySchema(path.dirname(file), reference.replace(/^schema:/, ''), surroundings);
    return compozyTool(entry, { resolve, agent }, options);
  },
  toFunctionTool: ({ id, input }) => ({ name: id, parameters: input }),
  scaffold: scaffoldCompozy,
};

const runloop: ToolMaker<RunloopEntry> = {
  toRunsLine({ transport, secrets }) {
    const line =
      transport.kind === 'http'
        ? `${transport.method} ${transport.url}`
        : toCommandLine([transport.command, ...transport.args]);
    return withGiven(line, { secrets });
  },
  reachesAnyHost: ({ transport }) => transport.kind !== 'http',
  makeTool(entry, { manifest, surroundings, options, override }) {
    const { name, caps } = entry.bundle;
    const narrowing = parseOverride(name, override);
    if (typeof narrowing === 'string') return narrowing;
    const scope = {
      agent: name,
      caps: [caps ?? {}, ...narrowing] as const,
      resolve: referenceResolver(path.dirname(manifest.file), entry.schemaRefs, surroundings),
    };
    return (
      deniedNeed(entry, scope, options, { op: 'expose' }) ?? runloopTool(entry, scope, options)
    );
  },
  // A Runloop id is not a valid function name, so its imported form is used.
  toFunctionTool: ({ importedId, inputSchema }) => ({ name: importedId, parameters: inputSchema }),
  scaffold: scaffoldRunloop,
};

const TOOL_MAKERS: ToolMakers = { agentcli, compozy, runloop };

/** The part of a dialect's row that needs no entry. */
export function getToolMaker(id: DialectId): Pick<ToolMaker<never>, 'scaffold'> {
  return TOOL_MAKERS[id];
}

function findMaker<Id extends DialectId>({ dialect }: { readonly dialect: Id }): ToolMakers[Id] {
  return TOOL_MAKERS[dialect];
}

/** What the user accepts of an entry, in one line. */
export function toRunsLine(entry: ToolEntry): string {
  const maker: ToolMaker<ToolEntry> = findMaker(entry);
  return maker.toRunsLine(entry);
}

/**
 * Whether it may reach any host. So may every program: agentcli's and Compozy's manifests declare no network
 * policy (spec E-2), and Runloop's `policy.caps` decide about calls, not about what a program does.
 */
export function reachesAnyHost(entry: ToolEntry): boolean {
  const maker: ToolMaker<ToolEntry> = findMaker(entry);
  return maker.reachesAnyHost(entry);
}

/** The entry as a function tool of OpenAI's format (spec A-12, B-25). */
export function toFunctionTool(entry: ToolEntry): FunctionTool {
  const maker: ToolMaker<ToolEntry> = findMaker(entry);
  return maker.toFunctionTool(entry);
}

/** The tool of an entry, or why it is not offered. */
export function makeTool(entry: ToolEntry, context: ToolContext): Tool | string {
  const maker: ToolMaker<ToolEntry> = findMaker(entry);
  return maker.makeTool(entry, context);
}

/** An invalid override denies everything instead of being ignored. */
function parseOverride(
  name: string,
  override: ToolContext['override'],
): readonly CapsLayer[] | string {
  const text = override?.(name);
  if (text === undefined) return [];
  const parsed = parseCaps(text);
  return parsed.ok
    ? [parsed.caps]
    : `Your override of ${name}'s capabilities is broken: ${parsed.error}`;
}
