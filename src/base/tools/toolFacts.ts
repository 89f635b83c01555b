import type { ToolKind } from './toolKind.ts';

/**
 * Facts about a locked tool besides its code. The permission engine, the protocol mapping, the
 * command line and the editor read this table instead of comparing ids.
 */
export interface ToolFacts {
  /** ACP's kind (spec C(b).8). */
  readonly kind: ToolKind;
  /** What a rule's pattern for this tool is matched against. */
  readonly about: 'path' | 'command' | 'host' | 'text';
  /** The argument that rules match against. */
  readonly argument: string;
  /**
   * How the tool accesses files: its rules also apply to files that a command line reads or writes.
   */
  readonly access?: 'fs.read' | 'fs.write';
  /** Set when the tool searches below a folder and returns file names only, or contents too. */
  readonly search?: 'names' | 'contents';
  /**
   * The tool affects only the session, so calls that no rule covers are allowed (spec decision 9).
   */
  readonly session?: true;
  /** The tool needs an answer from the user, so it fails without one. */
  readonly needsUser?: true;
  /** The results of its calls are skills. */
  readonly loadsSkills?: true;
  /** A single named capability instead of a family (spec C-37). */
  readonly capability?: string;
  /**
   * Builds the smallest valid arguments from one text, for explaining a decision. Absent when one
   * text is not enough.
   */
  readonly toInput?: (text: string) => object;
}

/** Ids that no other tool may use (spec C-9), in the order the model sees them. */
const TOOL_FACTS = {
  read: {
    kind: 'read',
    about: 'path',
    argument: 'path',
    access: 'fs.read',
    toInput: (path) => ({ path }),
  },
  write: {
    kind: 'edit',
    about: 'path',
    argument: 'path',
    access: 'fs.write',
    toInput: (path) => ({ path, content: '' }),
  },
  edit: {
    kind: 'edit',
    about: 'path',
    argument: 'path',
    access: 'fs.write',
    toInput: (path) => ({ path, old_string: 'a', new_string: 'b' }),
  },
  glob: {
    kind: 'search',
    about: 'path',
    argument: 'path',
    access: 'fs.read',
    search: 'names',
    toInput: (path) => ({ path, pattern: '*' }),
  },
  grep: {
    kind: 'search',
    about: 'path',
    argument: 'path',
    access: 'fs.read',
    search: 'contents',
    toInput: (path) => ({ path, pattern: 'a' }),
  },
  bash: {
    kind: 'execute',
    about: 'command',
    argument: 'command',
    toInput: (command) => ({ command }),
  },
  todo: { kind: 'other', about: 'text', argument: 'items', session: true },
  task: { kind: 'other', about: 'text', argument: 'prompt', capability: 'task.spawn' },
  question: { kind: 'other', about: 'text', argument: 'questions', session: true, needsUser: true },
  web_search: {
    kind: 'fetch',
    about: 'text',
    argument: 'query',
    toInput: (query) => ({ query }),
  },
  web_fetch: { kind: 'fetch', about: 'host', argument: 'url', toInput: (url) => ({ url }) },
  skill: { kind: 'think', about: 'text', argument: 'name', session: true, loadsSkills: true },
  tool_search: {
    kind: 'search',
    about: 'text',
    argument: 'query',
    session: true,
    toInput: (query) => ({ query }),
  },
} as const satisfies Readonly<Record<string, ToolFacts>>;

const TABLE: ReadonlyMap<string, ToolFacts> = new Map(Object.entries(TOOL_FACTS));

export const LOCKED_IDS: readonly string[] = [...TABLE.keys()];

/** Undefined for a tool that is not locked. */
export function getToolFacts(id: string): ToolFacts | undefined {
  return TABLE.get(id);
}

/** Facts about a tool of the host outside of the locked set. */
interface OtherToolFacts {
  /** Its only effects are file changes, as those of `edit` and `write`. */
  readonly changesFiles?: true;
  /** See `ToolFacts`. */
  readonly toInput: (text: string) => object;
}

/** The host's own tools outside of the locked set, whose ids no other tool may use either. */
const OTHER_TOOLS: ReadonlyMap<string, OtherToolFacts> = new Map(
  Object.entries<OtherToolFacts>({
    apply_patch: { changesFiles: true, toInput: (patch) => ({ patch }) },
    lsp: { toInput: (path) => ({ operation: 'diagnostics', path }) },
    plan_exit: { toInput: (plan) => ({ plan }) },
    repo_clone: { toInput: (url) => ({ url }) },
    repo_overview: { toInput: (path) => ({ path }) },
  }),
);

/** The ids of all tools of the host, locked or not. */
export const HOST_TOOL_IDS: readonly string[] = [...TABLE.keys(), ...OTHER_TOOLS.keys()];

/** Whether the host itself has a tool of this id, locked or not. */
export function isHostTool(id: string): boolean {
  return TABLE.has(id) || OTHER_TOOLS.has(id);
}

export function isLocked(id: string): boolean {
  return TABLE.has(id);
}

/** The locked tools for which something holds, in the order of the table. */
export function findLockedTools(matches: (facts: ToolFacts) => boolean): readonly string[] {
  return [...TABLE].filter(([, facts]) => matches(facts)).map(([id]) => id);
}

/** The smallest valid arguments of a host tool from one text; undefined if one text is not enough. */
export function toToolInput(id: string, text: string): object | undefined {
  return (TABLE.get(id)?.toInput ?? OTHER_TOOLS.get(id)?.toInput)?.(text);
}

/** The host's tools whose decisions can be explained from one text. */
export const EXPLAINABLE: readonly string[] = HOST_TOOL_IDS.filter(
  (id) => toToolInput(id, '') !== undefined,
);

/** The ids of the host's tools that change files. */
export const FILE_CHANGERS: readonly string[] = [
  ...findLockedTools(({ access }) => access === 'fs.write'),
  ...[...OTHER_TOOLS].filter(([, { changesFiles }]) => changesFiles).map(([id]) => id),
];
