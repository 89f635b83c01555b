import { toRecord } from '../../../base/json.ts';
import type { Action } from '../../../permissions/rules/rule.ts';
import { toCommandEntry } from './commandEntry.ts';
import {
  type Entry,
  type EntryGroup,
  leaveOut,
  type RuleTarget,
  type SourceFile,
} from './entry.ts';
import { toHostEntry } from './hostEntry.ts';
import { type Access, allFiles, escapeBraces, toPathEntry } from './pathEntry.ts';

/**
 * The rules of Claude Code (2.1): `permissions.deny`, `ask` and `allow`, of which the strictest decides,
 * from whichever file.
 */
export function readClaudeCode(settings: unknown, source: SourceFile): readonly EntryGroup[] {
  const permissions = toRecord(toRecord(settings)['permissions']);
  const entries = ACTIONS.flatMap((action) => {
    const rules = permissions[action];
    if (rules === undefined) return [];
    if (!Array.isArray(rules)) return [notAList(action)];
    return rules.map((rule: unknown) => toEntry(rule, action, source));
  });
  const mode = permissions['defaultMode'];
  if (typeof mode === 'string' && /^(?:acceptEdits|bypassPermissions|dontAsk|auto)$/.test(mode)) {
    const reason = 'Choose the approval mode in the chat.';
    entries.push(leaveOut(`defaultMode: ${mode}`, 'allow', reason));
  }
  return [{ source, list: source.product, decides: 'strictest', entries }];
}

const ACTIONS: readonly Action[] = ['deny', 'ask', 'allow'];

const ANYTHING: readonly RuleTarget[] = [{ permission: '*', pattern: '*' }];

function notAList(action: Action): Entry {
  return leaveOut(`permissions.${action}`, action, "It isn't a list.", ANYTHING);
}

function toEntry(rule: unknown, action: Action, source: SourceFile): Entry {
  if (typeof rule !== 'string') {
    const written = JSON.stringify(rule) ?? 'undefined';
    return leaveOut(written, action, "It isn't a string.", ANYTHING);
  }
  const written = rule.trim();
  const { tool = '', specifier = '' } =
    /^(?<tool>[\w*.-]+)(?:\((?<specifier>.*)\))?$/s.exec(written)?.groups ?? {};
  if (tool.startsWith('mcp__')) return toServerEntry(written, action, tool);
  const convert = TOOLS.get(tool);
  if (convert !== undefined) return convert({ written, action, specifier, source });
  const some = tool === '' || tool.includes('*');
  return leaveOut(written, action, 'Gatehouse has no such tool.', some ? ANYTHING : []);
}

interface Written {
  readonly written: string;
  readonly action: Action;
  /** What is in parentheses; empty if there are none. */
  readonly specifier: string;
  readonly source: SourceFile;
}

const TOOLS: ReadonlyMap<string, (rule: Written) => Entry> = new Map([
  ['Bash', toCommand],
  ['PowerShell', toPowerShell],
  ['Read', (rule) => toPath(rule, 'read')],
  ['Edit', (rule) => toPath(rule, 'edit')],
  // Only patterns of Read and Edit are looked at.
  ['Write', (rule) => toWholeTool(rule, 'edit')],
  ['MultiEdit', (rule) => toWholeTool(rule, 'edit')],
  ['NotebookEdit', (rule) => toWholeTool(rule, 'edit')],
  ['Glob', (rule) => toSearch(rule, 'glob')],
  ['Grep', (rule) => toSearch(rule, 'grep')],
  ['WebFetch', toHost],
  ['WebSearch', (rule) => toNamed(rule, 'web_search')],
  ['Skill', (rule) => toNamed(rule, 'skill')],
  ['Task', toSubagent],
  ['Agent', toSubagent],
  ['TodoWrite', (rule) => toNamed(rule, 'todo')],
]);

/** `npm run test:*` and `npm run test *` are the same; other texts are compared whole. */
function toCommand({ written, action, specifier }: Written): Entry {
  const open = specifier.endsWith(':*');
  const text = specifier === '' ? '*' : open ? specifier.slice(0, -2) : specifier;
  return toCommandEntry({ written, action, text, open });
}

/** In which shell a command runs is the user's setting, so an allow of PowerShell may be about another line. */
function toPowerShell(rule: Written): Entry {
  const { written, action } = rule;
  if (action !== 'allow') return toCommand(rule);
  return leaveOut(written, action, 'Its words may mean something else in another shell.');
}

function toPath({ written, action, specifier, source }: Written, access: Access): Entry {
  const patterns = toPatterns(specifier, action, source);
  if (typeof patterns === 'string') {
    return leaveOut(written, action, patterns, allFiles(access));
  }
  const entries = patterns.map((pattern) => toPathEntry({ written, action, access, pattern }));
  const [first] = entries;
  const targets = entries.flatMap((each) => each.targets);
  return { ...(first ?? leaveOut(written, action, 'It is empty.')), targets };
}

/** Patterns as in `.gitignore`, with `//` for the root of the disk. A text: why there is none. */
function toPatterns(
  specifier: string,
  action: Action,
  { destination }: SourceFile,
): readonly string[] | string {
  if (specifier === '') return ['**'];
  if (specifier.startsWith('!') || specifier.includes('\\')) return "It isn't a plain pattern.";
  const text = escapeBraces(specifier.replace(/\/$/, '/**'));
  if (text.startsWith('//')) return [text.slice(1)];
  if (text.startsWith('~/')) return [text];
  if (text.startsWith('/')) {
    if (destination === 'workspace') return [text.slice(1)];
    if (action === 'allow') return 'Which folder it starts at differs between versions.';
    return [text.slice(1), `~/.claude${text}`];
  }
  const relative = text.replace(/^(?:\.\/)+/, '');
  if (relative === '' || relative === '.') return ['**'];
  if (/(?:^|\/)\.\.(?:\/|$)/.test(relative) && action === 'allow')
    return 'It leaves the workspace.';
  return [text === relative && !relative.includes('/') ? `**/${relative}` : relative];
}

function toWholeTool(rule: Written, access: Access): Entry {
  const { written, action, specifier } = rule;
  if (specifier === '' || specifier === '*') return toPath({ ...rule, specifier: '' }, access);
  return leaveOut(written, action, "Claude Code doesn't look at it: patterns are those of Edit.");
}

function toSearch({ written, action, specifier }: Written, permission: string): Entry {
  if (specifier !== '') {
    return leaveOut(written, action, "Claude Code doesn't look at it: patterns are those of Read.");
  }
  const pattern = action === 'allow' ? '{workspace}/**' : '*';
  return { written, action, targets: [{ permission, pattern }] };
}

function toHost({ written, action, specifier }: Written): Entry {
  if (specifier !== '' && !specifier.startsWith('domain:')) {
    const all = [{ permission: 'net.fetch', pattern: '*' }];
    return leaveOut(written, action, 'It names no domain.', all);
  }
  return toHostEntry({ written, action, url: specifier.slice('domain:'.length) || '*' });
}

function toSubagent(rule: Written): Entry {
  const { written, action, specifier } = rule;
  if (specifier === '' && action !== 'allow') return toNamed(rule, 'task');
  const all = [{ permission: 'task', pattern: '*' }];
  return leaveOut(written, action, 'Gatehouse asks for each subagent.', all);
}

/** A tool whose pattern is a name. */
function toNamed({ written, action, specifier }: Written, permission: string): Entry {
  const pattern = specifier === '' ? '*' : specifier.replace(/:\*$/, '*');
  return { written, action, targets: [{ permission, pattern }] };
}

/** `mcp__server__tool`, or all tools of a server. */
function toServerEntry(written: string, action: Action, tool: string): Entry {
  const [, server = '', ...rest] = tool.split('__');
  const name = rest.join('__');
  if (server === '' || server.includes('*')) {
    if (action === 'allow') return leaveOut(written, action, 'It would allow every server.');
    return { written, action, targets: [{ permission: 'mcp:*', pattern: '*' }] };
  }
  const permission = `mcp:${server}:${name === '' ? '*' : name}`;
  return { written, action, targets: [{ permission, pattern: '*' }] };
}
