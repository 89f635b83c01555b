import type {
  CapabilityFamily,
  CapabilitySet,
  RequirementSet,
  ToolRequirements,
} from '../permissions/rules/requirements.ts';
import type { Rule } from '../permissions/rules/rule.ts';
import { uniteRequirements } from '../permissions/rules/scope.ts';

/** An agent definition, from which a session is started. Field names are those of the file. */
export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  /** Who may start it: the user (`primary`), another agent (`subagent`), or both. */
  readonly mode: 'primary' | 'subagent' | 'all';
  /** A model id at the configured endpoint. Default: the configured model. */
  readonly model?: string;
  /** Tool ids or globs. Default: every tool. */
  readonly tools?: readonly string[];
  /**
   * The capabilities the agent requests. A family that it names is the scope of the locked tools; in
   * others they have the default scope (spec C-10).
   */
  readonly requires: RequirementSet;
  /** Absolute paths. Added to `{workspace}` once the user has accepted them (spec decision 23). */
  readonly roots: readonly string[];
  readonly permissions: readonly Rule[];
  /** The system prompt. */
  readonly prompt: string;
  /** It is told that its answer is for another agent (spec CS-32). */
  readonly caller?: 'agent';
  /** As a subagent, it has a row of its own among the sessions, and its task returns the session (spec CS-31). */
  readonly inspectable?: true;
  /** Without a model of its own, it uses the small model if one is set (spec CS-33). */
  readonly small?: true;
}

/**
 * The capabilities that an agent declares: its own, and exactly the patterns that its tools add (spec
 * C-7, spec C-8, spec VC-8). `files` are the patterns of the default scope.
 */
export function declaredCapabilities(
  { requires }: Pick<AgentDefinition, 'requires'>,
  tools: readonly { readonly requires: ToolRequirements }[],
  files: readonly string[],
): CapabilitySet {
  const families = new Set(tools.flatMap((tool) => tool.requires.families ?? []));
  const set = tools.reduce<RequirementSet>(
    (all, tool) => uniteRequirements(all, withoutFamilies(tool.requires)),
    withDefaults(requires, families, files),
  );
  const narrows = requires.fs !== undefined || requires.shell !== undefined;
  return {
    ...set,
    ...(requires.net === undefined && families.has('net') && { anyHost: true }),
    ...(!narrows && families.has('shell') && { asksOutside: true }),
  };
}

/** A command may read and write files, so `shell` brings the file family with it. */
function withDefaults(
  requires: RequirementSet,
  families: ReadonlySet<CapabilityFamily>,
  files: readonly string[],
): RequirementSet {
  const shell = families.has('shell');
  const read = shell || families.has('fs.read') ? files : [];
  const write = shell || families.has('fs.write') ? files : [];
  return {
    ...(read.length + write.length > 0 && { fs: { read, write } }),
    ...(shell && { shell: [{ cmd: '*' }] }),
    ...requires,
  };
}

function withoutFamilies({ families: _, ...own }: ToolRequirements): RequirementSet {
  return own;
}

/** Whether the definition includes this tool, by id or glob, or lists no tools at all. */
export function hasTool(
  { tools }: Pick<AgentDefinition, 'tools'>,
  { id, formerId = id }: { readonly id: string; readonly formerId?: string },
): boolean {
  if (tools === undefined) return true;
  return tools.some((pattern) => matchesId(pattern, id) || matchesId(pattern, formerId));
}

/** Matches an id; `*` stands for any text. Takes linear time, because the pattern is untrusted. */
function matchesId(pattern: string, id: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return pattern === id;
  if (!id.startsWith(head) || !id.endsWith(tail) || id.length < head.length + tail.length) {
    return false;
  }
  let at = head.length;
  for (const part of rest) {
    const found = id.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= id.length - tail.length;
}

/** Replaces a definition that was not found: it has no tools and no capabilities. */
export function missingAgent(name: string): AgentDefinition {
  return {
    name,
    description: 'This agent was not found.',
    mode: 'all',
    tools: [],
    requires: {},
    roots: [],
    permissions: [],
    prompt: '',
  };
}
