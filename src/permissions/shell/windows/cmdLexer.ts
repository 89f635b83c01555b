import type { FileAct } from '../acts.ts';

/** The part between two operators of a cmd.exe line. */
export interface CmdPart {
  readonly words: readonly CmdWord[];
  readonly redirections: readonly { readonly access: FileAct['access']; readonly target: string }[];
}

export interface CmdWord {
  /** Without quotes and carets. */
  readonly value: string;
  readonly quoted: boolean;
}

/**
 * Splits a cmd.exe line into its commands: at `&`, `|`, parentheses and line ends outside quotes.
 * `^` escapes the next character. Without `quotes`, quotes have no effect: a variable may contain
 * one, so lines with variables are parsed both ways.
 */
export function lexCmd(line: string, quotes: boolean): readonly CmdPart[] {
  const state = startLexer();
  let inQuotes = false;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? '';
    if (char === '"') {
      state.add('', true);
      inQuotes = quotes && !inQuotes;
    } else if (inQuotes && !/[\r\n]/.test(char)) state.add(char);
    else if (char === '^') {
      at += line.startsWith('\r\n', at + 1) ? 2 : 1;
      const next = line[at] ?? '';
      if (!/[\r\n]/.test(next)) state.add(next);
    } else if (/[&|()\r\n]/.test(char)) {
      inQuotes = false;
      state.endPart();
    } else if (/\s/.test(char)) state.endWord();
    else if (char === '<' || char === '>') {
      if (line[at + 1] === '>') at += 1;
      // `2>&1` joins two streams.
      const joins = /^&\d?/.exec(line.slice(at + 1, at + 3))?.[0];
      state.redirect(joins !== undefined ? undefined : char === '<' ? 'fs.read' : 'fs.write');
      at += joins?.length ?? 0;
    } else state.add(char);
  }
  state.endPart();
  return state.parts;
}

function startLexer() {
  const parts: CmdPart[] = [];
  let words: CmdWord[] = [];
  let redirections: CmdPart['redirections'][number][] = [];
  let word: { value: string; quoted: boolean } | undefined;
  let access: FileAct['access'] | undefined;
  const endWord = () => {
    if (word === undefined) return;
    if (access === undefined) words.push(word);
    else redirections.push({ access, target: word.value });
    word = undefined;
    access = undefined;
  };
  return {
    parts,
    endWord,
    add(text: string, quoted = false) {
      word ??= { value: '', quoted: false };
      word.value += text;
      word.quoted ||= quoted;
    },
    /** The next word is the target. A digit right before the operator is a stream. */
    redirect(next: FileAct['access'] | undefined) {
      if (word !== undefined && !word.quoted && /^\d$/.test(word.value)) word = undefined;
      endWord();
      access = next;
    },
    endPart() {
      endWord();
      if (words.length + redirections.length > 0) parts.push({ words, redirections });
      words = [];
      redirections = [];
      access = undefined;
    },
  };
}
