import { isRecord, toRecord } from '../../../base/json.ts';
import { toCommandEntry } from './commandEntry.ts';
import { type Entry, type EntryGroup, leaveOut, type SourceFile } from './entry.ts';
import { toHostEntry } from './hostEntry.ts';
import { allFiles, toPathEntry } from './pathEntry.ts';
import { toRegexEntry } from './regexEntry.ts';

/**
 * The rules of VS Code's own agent (1.106 to 1.127). For commands, what must be approved comes first; for
 * edits, the last pattern that matches decides. `false` asks, and nothing denies.
 */
export function readVisualStudioCode(settings: unknown, source: SourceFile): readonly EntryGroup[] {
  const values = toRecord(settings);
  const read = (key: string) => Object.entries(toRecord(values[`chat.tools.${key}.autoApprove`]));
  const commands = read('terminal').flatMap(([key, value]) => toCommand(key, value) ?? []);
  const edits = read('edits').flatMap(([key, value]) => toEdit(key, value) ?? []);
  const urls = read('urls').flatMap(([key, value]) => toUrl(key, value) ?? []);
  for (const key of ['chat.tools.global.autoApprove', 'chat.tools.autoApprove']) {
    if (values[key] === true) urls.push(leaveOut(key, 'allow', 'It would allow everything.'));
  }
  const group = { source, list: source.product, decides: 'strictest' } as const;
  return [
    { ...group, entries: [...commands, ...urls] },
    { ...group, list: 'VS Code edits', decides: 'last', entries: edits },
  ];
}

/** `null` unsets an entry, as do values of other types. */
function toCommand(key: string, value: unknown): Entry | undefined {
  const { approve, matchCommandLine } = isRecord(value) ? value : { approve: value };
  if (typeof approve !== 'boolean') return undefined;
  const line = matchCommandLine === true;
  const written = `${key}: ${approve}${line ? ' (whole line)' : ''}`;
  const action = approve ? 'allow' : 'ask';
  const regex = /^\/(?<source>.+)\/(?<flags>[dgimsuvy]*)$/s.exec(key)?.groups;
  if (regex !== undefined) {
    const { source = '', flags = '' } = regex;
    return toRegexEntry({ written, action, source, flags, line });
  }
  if (key === '') return undefined;
  const source = `^${escapeRegex(key)}\\b`;
  // Both kinds of slashes match, and `./` may precede a path.
  const path = /[\\/]/.test(key);
  if (action === 'ask' && path) return toPathCommand(written, key);
  if (action === 'ask' && !line && /^\w+$/.test(key)) return toProgram(written, key);
  if (line || action === 'ask') return toRegexEntry({ written, action, source, flags: '', line });
  // The text ends with the last character of a word, or it never matches at the end of a word.
  if (!/\w$/.test(key)) return leaveOut(written, action, 'It matches no whole word.');
  return toCommandEntry({ written, action, text: key, open: true, literal: true });
}

/** `rm` matches `rm-x` as well, but not `rmdir`. */
function toProgram(written: string, key: string): Entry {
  const other = new RegExp(`^${key}[^\\w ]`);
  const targets = [{ permission: 'bash', pattern: `${key} *` }];
  return { written, action: 'ask', targets, blocksCommand: (start) => other.test(start) };
}

function toPathCommand(written: string, key: string): Entry {
  const name = key.split(/[\\/]+/).at(-1) ?? '';
  const pattern = `*${name.replace(/["'`$*\\]/g, '*')}*`;
  if (/^\*+$/.test(pattern)) {
    const all = [{ permission: 'bash', pattern: '*' }];
    return leaveOut(written, 'ask', 'No pattern matches all that it matches.', all);
  }
  return { written, action: 'ask', targets: [{ permission: 'bash', pattern }] };
}

function toEdit(key: string, value: unknown): Entry | undefined {
  if (typeof value !== 'boolean') return undefined;
  const written = `${key}: ${value}`;
  const action = value ? 'allow' : 'ask';
  // In Gatehouse's patterns, `{name}` is a variable.
  if (/\\|\[!|\{[\w-]*\}/.test(key)) {
    return leaveOut(written, action, "It isn't a plain pattern.", allFiles('edit'));
  }
  return toPathEntry({ written, action, access: 'edit', pattern: key, exact: true });
}

function toUrl(key: string, value: unknown): Entry | undefined {
  const { approveRequest, approveResponse } = isRecord(value)
    ? value
    : { approveRequest: value, approveResponse: value };
  if (typeof approveRequest !== 'boolean') return undefined;
  const written = `${key}: ${approveRequest}`;
  const action = approveRequest ? 'allow' : 'ask';
  if (action === 'allow' && approveResponse !== true) {
    return leaveOut(written, action, "VS Code asks about what the host answers; a rule can't.");
  }
  return toHostEntry({ written, action, url: key });
}

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
