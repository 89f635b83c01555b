import type { Action } from '../../../permissions/rules/rule.ts';
import { toCommandEntry } from './commandEntry.ts';
import { type Entry, leaveOut, REASONS, type RuleTarget } from './entry.ts';
import { type AnySource, type Sequence, type Token, toSequences } from './regexSequences.ts';

/** A regular expression that VS Code searches for in a command or in a whole line. */
export interface WrittenRegex {
  readonly written: string;
  readonly action: Exclude<Action, 'deny'>;
  readonly source: string;
  readonly flags: string;
  /** It is compared with the whole line instead of with each command of it. */
  readonly line: boolean;
}

/** Converts an expression. An allow never matches more than it, an ask never less. */
export function toRegexEntry(regex: WrittenRegex): Entry {
  const { written, action, source, flags, line } = regex;
  const sequences = toSequences(source, flags);
  if (action === 'ask') return toAsk(regex, sequences);
  if (/^\^?\.\*\$?$/.test(source)) return leaveOut(written, 'allow', REASONS.allCommands);
  if (line) return leaveOut(written, 'allow', 'It allows a whole line, and rules allow commands.');
  const parts = sequences?.map((each) => toAllowed(each)) ?? [undefined];
  const known = parts.filter((each) => each !== undefined);
  if (known.length === 0) {
    return leaveOut(written, 'allow', 'No pattern matches only what this expression matches.');
  }
  const entries = known.map((part) => toEntry(written, part));
  return joinEntries(written, entries, known.length === parts.length);
}

function toEntry(written: string, { text, open, needsWord, oneLine }: Allowed): Entry {
  const command = needsWord
    ? { text: `${text} * *`, open: false, optionalTail: true }
    : { text, open, literal: true };
  const entry = toCommandEntry({ ...command, written, action: 'allow' });
  if (!oneLine || entry.targets.length === 0) return entry;
  return { ...entry, except: [...(entry.except ?? []), bash(`${text}*'\n'*`)] };
}

/** One entry of several alternatives. A part that is allowed with more words isn't asked about then. */
function joinEntries(written: string, entries: readonly Entry[], complete: boolean): Entry {
  const targets = entries.flatMap((each) => each.targets);
  const open = new Set(targets.map(({ pattern }) => pattern));
  const except = entries
    .flatMap((each) => each.except ?? [])
    .filter(({ pattern }) => !open.has(pattern) && !open.has(pattern.replace(/ \*$/, '')));
  const reasons = entries.flatMap((each) => each.reason ?? []);
  if (!complete) reasons.push('Only a part of the expression can be said by patterns.');
  const [reason] = reasons;
  return { written, action: 'allow', targets, except, ...(reason !== undefined && { reason }) };
}

/** A start of commands. */
interface Allowed {
  readonly text: string;
  /** More words may follow. */
  readonly open: boolean;
  /** At least one more word must follow. */
  readonly needsWord: boolean;
  /** No line break may follow. */
  readonly oneLine: boolean;
}

/** Undefined if it isn't known exactly what the sequence matches. */
function toAllowed(sequence: Sequence): Allowed | undefined {
  const [first, ...rest] = sequence;
  if (first?.kind !== 'start') return undefined;
  const anchored = rest.at(-1)?.kind === 'end';
  const end = readEnd(anchored ? rest.slice(0, -1) : rest, anchored);
  let text = '';
  for (const token of end.parts) {
    if (token.kind === 'text') text += token.text;
    else if (token.kind === 'any' && token.source.startsWith('space')) text += ' ';
    else return undefined;
  }
  // Behind `\b` no letter or digit follows, if the text ends with one.
  if (end.wholeWord && !/\w$/.test(text)) return undefined;
  const needsWord = end.needsWord || text.endsWith(' ');
  if (needsWord && (!end.open || text.includes('*'))) return undefined;
  if (end.needsSpace && !text.endsWith(' ')) return undefined;
  return { text: text.trimEnd(), open: end.open, needsWord, oneLine: end.oneLine };
}

interface End {
  parts: readonly Token[];
  open: boolean;
  needsWord: boolean;
  needsSpace: boolean;
  oneLine: boolean;
  wholeWord: boolean;
}

/** Takes the end off that needn't match anything, or only a further word. */
function readEnd(parts: readonly Token[], anchored: boolean): End {
  const end: End = {
    ...{ parts, open: !anchored, needsWord: false, needsSpace: false },
    ...{ oneLine: false, wholeWord: false },
  };
  for (let last = parts.at(-1); last !== undefined; last = end.parts.at(-1)) {
    if (last.kind === 'boundary' && end.open && !end.needsWord) end.wholeWord = true;
    else if (last.kind !== 'any' || last.source === 'other') break;
    else if (last.source === 'space' && (!end.open || end.wholeWord)) break;
    else if (last.source === 'space') end.needsWord = true;
    else if (last.source !== 'spaces') takeText(end, last.source, anchored);
    end.parts = end.parts.slice(0, -1);
    if (end.wholeWord || end.needsWord) break;
  }
  return end;
}

function takeText(end: End, source: AnySource, anchored: boolean): void {
  const some = source === 'some';
  end.open = true;
  end.oneLine ||= some || (anchored && source === 'line');
  end.needsSpace ||= some;
}

/** What a pattern can't say asks: then nothing that may match it is allowed. */
function toAsk(regex: WrittenRegex, sequences: readonly Sequence[] | undefined): Entry {
  const { written, action, flags, line } = regex;
  const anything: readonly RuleTarget[] = [bash('*')];
  const patterns = sequences?.map((each) => (line ? toPart(each) : toPattern(each)));
  if (
    patterns === undefined ||
    flags.includes('i') ||
    patterns.some((each) => each === undefined)
  ) {
    const starts = sequences?.map(toStart);
    const reason = 'No pattern matches all that this expression matches.';
    return {
      ...leaveOut(written, action, reason),
      ...(line || starts === undefined || starts.includes('')
        ? { blocks: anything }
        : { blocksCommand: (start) => starts.some((each) => mayStart(each, start)) }),
    };
  }
  const all = [...new Set(patterns)].flatMap((each) => (each === undefined ? [] : [bash(each)]));
  return { written, action, targets: all };
}

/** A pattern that matches at least what the sequence matches; undefined if it would match everything. */
function toPattern(sequence: Sequence): string | undefined {
  let pattern = sequence[0]?.kind === 'start' ? '' : '*';
  for (const token of sequence) pattern += toWildcards(token);
  if (sequence.at(-1)?.kind !== 'end') pattern += '*';
  const joined = pattern.replace(/\*+/g, '*').replaceAll('\0', '\\*').trim();
  return /^[*\s]*$/.test(joined) ? undefined : joined;
}

function toWildcards(token: Token): string {
  if (token.kind === 'any') return '*';
  if (token.kind !== 'text') return '';
  // Quotes are removed and words are joined by single spaces before patterns are compared.
  return token.text
    .replaceAll('*', '\0')
    .replace(/["'`\\\s$]+/g, (each) => (each === ' ' ? ' ' : '*'));
}

/** A line may have the parts of a sequence in several commands, so one text of it has to do. */
function toPart(sequence: Sequence): string | undefined {
  const texts = sequence
    .flatMap((token) => (token.kind === 'text' ? token.text.split(/[|&;<>()$`"'\\\s{}*?]+/) : []))
    .sort((a, b) => b.length - a.length);
  const [longest = ''] = texts;
  return longest === '' ? undefined : `*${longest}*`;
}

/** The literal start, in lower case. Empty if there is none. */
function toStart([first, second]: Sequence): string {
  return first?.kind === 'start' && second?.kind === 'text' ? second.text.toLowerCase() : '';
}

function mayStart(expected: string, start: string): boolean {
  const folded = start.toLowerCase();
  return folded.startsWith(expected) || expected.startsWith(folded);
}

function bash(pattern: string): RuleTarget {
  return { permission: 'bash', pattern };
}
