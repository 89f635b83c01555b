import { isRecord, toRecord } from '../../../base/json.ts';
import { getToolFacts } from '../../../base/tools/toolFacts.ts';
import type { Action } from '../../../permissions/rules/rule.ts';
import { toCommandEntry } from './commandEntry.ts';
import {
  type Entry,
  type EntryGroup,
  isAction,
  leaveOut,
  REASONS,
  type SourceFile,
} from './entry.ts';
import { toHostEntry } from './hostEntry.ts';
import { type Access, allFiles, escapeBraces, toPathEntry } from './pathEntry.ts';

/** One rule of OpenCode, of either form. */
interface Written {
  readonly tool: string;
  readonly pattern: string;
  readonly action: Action;
}

/**
 * The rules of OpenCode: `permission` (1.1 and later) and the list `permissions` (2.0). The last one that
 * matches decides.
 */
export function readOpenCode(settings: unknown, source: SourceFile): readonly EntryGroup[] {
  const { permission, permissions } = toRecord(settings);
  const entries = [...readObject(permission), ...readList(permissions)].map((each) =>
    typeof each === 'string' ? notUnderstood(each) : toEntry(each),
  );
  return [{ source, list: source.product, decides: 'last', entries }];
}

/** A text is what can't be read. */
function readObject(permission: unknown): readonly (Written | string)[] {
  if (permission === undefined) return [];
  if (isAction(permission)) return [{ tool: '*', pattern: '*', action: permission }];
  if (!isRecord(permission)) return [JSON.stringify(permission)];
  return Object.entries(permission).flatMap(([tool, value]): readonly (Written | string)[] => {
    if (isAction(value)) return [{ tool, pattern: '*', action: value }];
    if (!isRecord(value)) return [`${tool}: ${JSON.stringify(value)}`];
    return Object.entries(value).map(([pattern, action]) =>
      isAction(action)
        ? { tool, pattern, action }
        : `${tool} ${pattern}: ${JSON.stringify(action)}`,
    );
  });
}

function readList(permissions: unknown): readonly (Written | string)[] {
  if (permissions === undefined) return [];
  if (!Array.isArray(permissions)) return [JSON.stringify(permissions)];
  return permissions.map((each: unknown) => {
    const { action: tool, resource: pattern, effect } = toRecord(each);
    const known = typeof tool === 'string' && typeof pattern === 'string' && isAction(effect);
    return known ? { tool, pattern, action: effect } : JSON.stringify(each);
  });
}

/** What can't be read may be a deny. */
function notUnderstood(written: string): Entry {
  return leaveOut(written, 'deny', "It can't be read.", [{ permission: '*', pattern: '*' }]);
}

const FILES: Readonly<Record<string, Access>> = { read: 'read', edit: 'edit', write: 'edit' };
const COMMANDS: ReadonlySet<string> = new Set(['bash', 'shell']);
const ADDRESSES: ReadonlySet<string> = new Set(['webfetch', 'web_fetch']);

/** Tools whose patterns aren't those of Gatehouse: only rules about the whole tool. */
const WHOLE: Readonly<Record<string, string>> = {
  glob: 'glob',
  grep: 'grep',
  list: 'glob',
  task: 'task',
  skill: 'skill',
  websearch: 'web_search',
  todowrite: 'todo',
  question: 'question',
  '*': '*',
};

function toEntry({ tool, pattern, action }: Written): Entry {
  const written = `${tool} ${pattern}: ${action}`;
  const access = FILES[tool];
  if (COMMANDS.has(tool)) return toCommand(written, pattern, action);
  if (access !== undefined) return toPath(written, pattern, action, access);
  if (ADDRESSES.has(tool)) return toHostEntry({ written, action, url: pattern });
  const permission = WHOLE[tool];
  if (tool === 'external_directory') return toOutside(written, pattern, action);
  if (permission === undefined) {
    return leaveOut(written, action, 'Gatehouse has no such tool.');
  }
  const all = [{ permission, pattern: '*' }];
  if (pattern !== '*') {
    return leaveOut(written, action, 'Only a rule about the whole tool can be imported.', all);
  }
  if (action === 'ask') return leaveOut(written, action, REASONS.asksAnyway, all);
  if (action === 'deny') return { written, action, targets: [{ permission, pattern: '*' }] };
  return toWholeAllow(written, permission);
}

function toWholeAllow(written: string, permission: string): Entry {
  if (permission === '*') return leaveOut(written, 'allow', 'It would allow everything.');
  const facts = getToolFacts(permission);
  if (facts?.capability !== undefined)
    return leaveOut(written, 'allow', 'Gatehouse asks for each subagent.');
  const isSearch = facts?.search !== undefined;
  const pattern = isSearch ? '{workspace}/**' : '*';
  const reason = isSearch ? { reason: REASONS.insideWorkspace } : {};
  return { written, action: 'allow', targets: [{ permission, pattern }], ...reason };
}

/** A `?` is one character, for which patterns of commands have no sign. */
function toCommand(written: string, pattern: string, action: Action): Entry {
  if (action === 'allow' && pattern.includes('?')) {
    return leaveOut(written, action, 'Patterns of commands have no sign for one character.');
  }
  return toCommandEntry({ written, action, text: pattern, open: false, optionalTail: true });
}

/** Here `*` also matches `/`. */
function toPath(written: string, pattern: string, action: Action, access: Access): Entry {
  if (pattern.includes('\\')) {
    return leaveOut(written, action, "It isn't a plain pattern.", allFiles(access));
  }
  const named = pattern.replace(/^\$HOME\//, '~/').replace(/^(?:\.\/)+/, '');
  const text = escapeBraces(named).replace(/[[\]]/g, (char) => `\\${char}`);
  if (action === 'allow') return toAllowedPath(written, text, access);
  const patterns = spanFolders(text);
  if (patterns === undefined) {
    return leaveOut(written, action, 'It has too many wildcards.', allFiles(access));
  }
  const entries = patterns.map((each) => toPathEntry({ written, action, access, pattern: each }));
  const [first = leaveOut(written, action, 'It is empty.')] = entries;
  return { ...first, targets: entries.flatMap((each) => each.targets) };
}

function toAllowedPath(written: string, text: string, access: Access): Entry {
  if (/^(?:\/|~|[A-Za-z]:|.*\.\.)/.test(text)) {
    return leaveOut(written, 'allow', REASONS.insideWorkspace);
  }
  const anywhere = /^\*(?!\*)./.test(text) ? `**/${text}` : text;
  const pattern = anywhere.replace(/\/\*$/, '/**');
  return toPathEntry({ written, action: 'allow', access, pattern, exact: true });
}

/** More wildcards would make too many patterns. */
const MOST_STARS = 3;

/** Patterns in which a `*` may also stand for several folders. */
function spanFolders(text: string): readonly string[] | undefined {
  if (/^\*+$/.test(text)) return ['**'];
  const [head = '', ...rest] = text.split(/[*?]+/);
  if (rest.length > MOST_STARS) return undefined;
  // A pattern that starts with a wildcard is about every folder.
  const anywhere = head === '';
  const [first = '', ...others] = anywhere ? rest : [head, ...rest];
  let found: readonly string[] = [anywhere ? `**/*${first}` : first];
  for (const part of others) {
    found = found.flatMap((start) => [`${start}*${part}`, `${start}*/**/*${part}`]);
  }
  return [...new Set(found.map((each) => each.replace(/\*\/\*\*\/\*$/, '*/**')))];
}

function toOutside(written: string, pattern: string, action: Action): Entry {
  if (action === 'allow') {
    return leaveOut(written, action, 'Other folders are opened with Add Folder to Workspace.');
  }
  if (action === 'ask') {
    return leaveOut(written, action, REASONS.asksAnyway);
  }
  const [read, edit] = (['read', 'edit'] as const).map((each) =>
    toPath(written, pattern, action, each),
  );
  return { written, action, targets: [...(read?.targets ?? []), ...(edit?.targets ?? [])] };
}
