import path from 'node:path';
import type { Tool } from '../tools/contract.ts';
import { agentcliTool } from './agentcli/agentcliTool.ts';
import type { AgentcliEntry } from './agentcli/entry.ts';
import { compozyTool } from './compozy/compozyTool.ts';
import type { CompozyEntry } from './compozy/entry.ts';
import { registrySchema, type Surroundings } from './manifest/parseSurroundings.ts';
import type { Manifest } from './parseManifest.ts';
import type { DeclaredOptions } from './run/options.ts';
import type { RunloopEntry } from './runloop/entry.ts';
import { type CapsLayer, parseCaps } from './runloop/parseCaps.ts';
import { referenceResolver } from './runloop/parseSchemas.ts';
import { deniedNeed, runloopTool } from './runloop/runloopTool.ts';
import type { Dialect, ToolEntry } from './toolEntry.ts';

/** What a tool is made with, beside its entry. */
export interface ToolContext {
  readonly manifest: Manifest;
  readonly surroundings: Surroundings;
  readonly options: DeclaredOptions;
  /** The agent that gets the tools. */
  readonly agent?: string;
  /** The user's own narrowing of a bundle's `policy.caps` (spec D-38): its text, by the bundle's name. */
  readonly override?: (bundle: string) => string | undefined;
}

/** How a dialect's entries run: the half of its row in `dialects.ts` that the language server leaves out. */
interface ToolMaker<Entry> {
  /** What the user accepts, in one line: the program, the request, the module. */
  toRunsLine(entry: Entry): string;
  /** The tool, or why it is not offered. */
  makeTool(entry: Entry, context: ToolContext): Tool | string;
}

type EntryOf<Id extends Dialect> = Extract<ToolEntry, { readonly dialect: Id }>;
type ToolMakers = { readonly [Id in Dialect]: ToolMaker<EntryOf<Id>> };

const agentcli: ToolMaker<AgentcliEntry> = {
  toRunsLine: ({ program, command }) => [program, ...command.slice(1)].join(' '),
  makeTool: (entry, { options }) => agentcliTool(entry, options),
};

const compozy: ToolMaker<CompozyEntry> = {
  toRunsLine: ({ id, project }) => `${id} of ${project}`,
  makeTool(entry, { manifest: { file, project }, surroundings, agent, options }) {
    if (project === undefined) return 'The tool has no project.';
    const resolve = (reference: string): unknown =>
      registrySchema(path.dirname(file), reference.replace(/^schema:/, ''), surroundings);
    return compozyTool(entry, { project, resolve, agent }, options);
  },
};

const runloop: ToolMaker<RunloopEntry> = {
  toRunsLine({ transport }) {
    if (transport.kind === 'http') return `${transport.method} ${transport.url}`;
    return [transport.command, ...transport.args].join(' ');
  },
  makeTool(entry, { manifest, surroundings, options, override }) {
    const name = getBundleName(manifest);
    const narrowing = parseOverride(name, override);
    if (typeof narrowing === 'string') return narrowing;
    const scope = {
      agent: name,
      caps: [manifest.bundle?.caps ?? {}, ...narrowing] as const,
      resolve: referenceResolver(path.dirname(manifest.file), entry.schemaRefs, surroundings),
    };
    return (
      deniedNeed(entry, scope, options, { op: 'expose' }) ?? runloopTool(entry, scope, options)
    );
  },
};

const TOOL_MAKERS: ToolMakers = { agentcli, compozy, runloop };

function getMaker<Id extends Dialect>({ dialect }: { readonly dialect: Id }): ToolMakers[Id] {
  return TOOL_MAKERS[dialect];
}

/** What the user accepts of an entry, in one line. */
export function toRunsLine(entry: ToolEntry): string {
  const maker: ToolMaker<ToolEntry> = getMaker(entry);
  return maker.toRunsLine(entry);
}

/** The tool of an entry, or why it is not offered. */
export function makeTool(entry: ToolEntry, context: ToolContext): Tool | string {
  const maker: ToolMaker<ToolEntry> = getMaker(entry);
  return maker.makeTool(entry, context);
}

/** The name under which the user may narrow a bundle's capabilities. */
export function getBundleName({ file, bundle }: Manifest): string {
  return bundle?.name ?? path.basename(path.dirname(file));
}

/** A user's override that cannot be read denies everything rather than nothing. */
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
