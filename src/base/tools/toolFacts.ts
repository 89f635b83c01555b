import type { ToolKind } from './toolKind.ts';

/**
 * What the product knows of a locked tool apart from its code: the one table that the permission
 * engine, the protocol mapping, the command line and the editor read instead of comparing ids.
 */
export interface ToolFacts {
  /** ACP's kind (spec C(b).8). */
  readonly kind: ToolKind;
  /** What a rule's pattern for this tool is compared with. */
  readonly about: 'path' | 'command' | 'host' | 'text';
  /** The argument that holds what the rules are about. */
  readonly argument: string;
  /** How it reaches files: rules about the tool also bind files that a command line reads or writes. */
  readonly access?: 'fs.read' | 'fs.write';
  /** Its path is a folder and it looks below it, showing file names alone or what files hold. */
  readonly search?: 'names' | 'contents';
  /** It touches nothing but the session, so a call that no rule covers is allowed (spec decision 9). */
  readonly session?: true;
  /** It waits for a person, so nothing can answer it without one. */
  readonly needsUser?: true;
  /** A capability that is named rather than a family (spec C-37). */
  readonly capability?: string;
  /**
   * The smallest valid arguments about one text, for explaining a decision. Absent for tools whose
   * rules cannot be asked about with one text.
   */
  readonly toInput?: (text: string) => object;
}

/** The ids that no other tool may take (spec C-9), built or not, in the order the model sees them. */
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
  skill: { kind: 'think', about: 'text', argument: 'name', session: true },
  tool_search: { kind: 'search', about: 'text', argument: 'query', session: true },
} as const satisfies Readonly<Record<string, ToolFacts>>;

const TABLE: ReadonlyMap<string, ToolFacts> = new Map(Object.entries(TOOL_FACTS));

export const LOCKED_IDS: readonly string[] = [...TABLE.keys()];

/** Undefined for a tool that is not locked. */
export function getToolFacts(id: string): ToolFacts | undefined {
  return TABLE.get(id);
}

export function isLocked(id: string): boolean {
  return TABLE.has(id);
}

/** The locked tools for which something holds, in the order of the table. */
export function findLockedTools(matches: (facts: ToolFacts) => boolean): readonly string[] {
  return [...TABLE].filter(([, facts]) => matches(facts)).map(([id]) => id);
}
