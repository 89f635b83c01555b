import { parse } from 'yaml';
import { getMessage } from '../base/faults.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';

/** The front matter of an agent of Claude Code in the terms of ours, and what of it has no effect. */
export interface ClaudeFields {
  readonly front: Readonly<Record<string, unknown>>;
  readonly ignored: readonly string[];
}

/** Its tools by their names there. Those without an id have no counterpart that an agent may name. */
const TOOLS: Readonly<Record<string, string>> = {
  ...{ Read: 'read', Write: 'write', Edit: 'edit', MultiEdit: 'edit', NotebookEdit: 'edit' },
  ...{ Bash: 'bash', Glob: 'glob', Grep: 'grep', WebFetch: 'web_fetch', WebSearch: 'web_search' },
  ...{ TodoWrite: 'todo', Task: 'task', Agent: 'task', Skill: 'skill' },
  AskUserQuestion: 'question',
};

/** What is left of them in the mode `plan`, in which an agent only looks. */
const LOOKING = ['read', 'glob', 'grep', 'web_fetch', 'web_search', 'todo', 'skill', 'question'];

/**
 * Reads the front matter as Claude Code does: `tools` may be separated by commas, and a description may have colons,
 * which is no YAML. What would widen the agent when it is left out fails instead.
 */
export function toClaudeFields(text: string): Outcome<ClaudeFields> {
  const read = readFields(text);
  if (!read.ok) return read;
  const { name, description, model, tools, disallowedTools, ...rest } = read.data;
  const { permissionMode, ...others } = rest;
  const plans = permissionMode === 'plan';
  const listed = tools === undefined ? undefined : toNames(tools);
  const without = disallowedTools === undefined ? [] : toNames(disallowedTools);
  if (without === undefined || (tools !== undefined && listed === undefined)) {
    return failure('tools and disallowedTools must be lists of names, or names with commas.');
  }
  const bars = without.length > 0 || plans;
  const { ids, unknown } = toIds(listed ?? (bars ? Object.keys(TOOLS) : []));
  const barred = new Set(toIds(without.map((each) => each.replace(/\(.*$/s, ''))).ids);
  const stays = (id: string) => !barred.has(id) && (!plans || LOOKING.includes(id));
  return success({
    front: {
      ...{ name, description, mode: 'subagent' },
      ...(typeof model === 'string' && model !== 'inherit' && { model }),
      ...((listed !== undefined || bars) && { tools: ids.filter(stays) }),
    },
    ignored: [
      ...Object.keys(plans ? others : rest),
      ...unknown.map((each) => `tool ${each}`),
      ...(listed === undefined && bars ? ['tools of MCP servers'] : []),
    ],
  });
}

function readFields(text: string): Outcome<Readonly<Record<string, unknown>>> {
  try {
    const value: unknown = parse(text, { maxAliasCount: 20, strict: true, logLevel: 'error' });
    if (typeof value === 'object' && value !== null) return success({ ...value });
    return failure('must have a name and a description.');
  } catch (fault) {
    const lines = readLines(text);
    return lines === undefined ? failure(getMessage(fault)) : success(lines);
  }
}

/** One field a line, everything behind the colon as it stands. Undefined for anything else. */
function readLines(text: string): Readonly<Record<string, string>> | undefined {
  const fields = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, key, value] = /^([A-Za-z][A-Za-z-]*):[ \t]*(.*)$/.exec(line) ?? [];
    // A field that is given twice could be read in two ways.
    if (key === undefined || value === undefined || fields.has(key)) return undefined;
    fields.set(key, value.trim());
  }
  return Object.fromEntries(fields);
}

function toNames(value: unknown): readonly string[] | undefined {
  const names = typeof value === 'string' ? splitOutside(value) : value;
  if (!Array.isArray(names)) return undefined;
  const texts = names.filter((each) => typeof each === 'string').map((each) => each.trim());
  return texts.length === names.length ? texts.filter((each) => each !== '') : undefined;
}

/** A comma between parentheses belongs to a pattern, as in `Bash(git add, git commit)`. */
function splitOutside(text: string): readonly string[] {
  return text.match(/(?:\([^)]*\)?|[^,(])+/g) ?? [];
}

/** A tool with a pattern is none of its ids: without the pattern, it could do more than the file says. */
function toIds(names: readonly string[]) {
  const ids = new Set<string>();
  const unknown: string[] = [];
  for (const name of names) {
    const id = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
    if (id === undefined) unknown.push(name);
    else ids.add(id);
  }
  return { ids: [...ids], unknown };
}
