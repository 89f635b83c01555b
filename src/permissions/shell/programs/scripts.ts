import type { ShellWord } from '../acts.ts';
import type { Options } from './options.ts';

/**
 * Finds the script among the words, and marks it as one that an allow must contain literally if it
 * may do more than print.
 */
export function markScripts(
  kind: 'sed' | 'awk',
  words: readonly ShellWord[],
  { operands, risky, runs }: Options,
): void {
  let given: number | undefined;
  const plain = new Set(operands);
  words.forEach(({ value }, index) => {
    // GNU sed accepts abbreviations of `--expression`, and `-e` after the operands.
    const option = kind === 'sed' ? /^(?:-[a-zA-Z]*?e|--e\w*=?)([\s\S]*)$/.exec(value) : null;
    if (option === null || plain.has(index)) return;
    given ??= index;
    const at = option[1] === '' ? index + 1 : index;
    const script = option[1] === '' ? words[at]?.value : option[1];
    if (script === undefined || !isHarmlessSed(script)) risky.add(index).add(at);
  });
  if (runs.length > 0) return;
  if (kind === 'awk') markBehindLong(words, risky);
  const [first] = operands;
  // The sed of macOS reads no option behind an operand, so that one before `-e` is the script.
  if (first === undefined || (given !== undefined && given < first)) return;
  const script = words[first]?.value ?? '';
  if (!(kind === 'sed' ? isHarmlessSed(script) : isHarmlessAwk(script))) risky.add(first);
}

/**
 * The awk of macOS ignores a long option and takes the next word for the script, whatever GNU awk does
 * with it: `awk --field-separator script`.
 */
function markBehindLong(words: readonly ShellWord[], risky: Set<number>): void {
  for (const [index, { value }] of words.entries()) {
    if (/^--\w/.test(words[index - 1]?.value ?? '') && !isHarmlessAwk(value)) risky.add(index);
  }
}

/**
 * Whether a sed script only selects, prints and replaces: it has no `e`, `w` or `r`, and nothing
 * unknown.
 */
function isHarmlessSed(script: string): boolean {
  let rest = script.trim();
  // Parses one command per iteration; each iteration consumes at least one character.
  while (rest !== '') {
    const next = skipSedCommand(rest);
    if (next === undefined) return false;
    rest = next.replace(/^[\s;}]+/, '');
  }
  return true;
}

/**
 * A regular expression that ends at the same delimiter in every sed and awk. Newer versions treat a
 * delimiter inside brackets as a character, older ones as the end, so it isn't accepted there:
 * `s/[/]/p;/e;s,/,2p;1,2p` runs its input with GNU sed 4.9. `marks` are written as in a character
 * class.
 */
function toRegex(marks: string): string {
  const inner = `\\[:\\w+:\\]|\\[(?![.:=])|[^\\]\\[\\\\\\n${marks}]|\\\\[^\\]\\n${marks}]`;
  const bracket = `\\[(?:\\^|(?!\\^))(?:\\]|${inner})(?:${inner})*\\]`;
  return `(?:[^\\[\\\\\\n${marks}]|\\\\[^\\n]|${bracket})*`;
}

const SED_PATTERN = `\\/${toRegex('/')}\\/[IM]?`;
const SED_ADDRESS = new RegExp(`^(?:\\d+(?:~\\d+)?|\\$|${SED_PATTERN})`);
const SED_END_ADDRESS = new RegExp(`^\\s*,\\s*(?:[+~]?\\d+|\\$|${SED_PATTERN})`);

function skipSedCommand(text: string): string | undefined {
  let rest = text.replace(SED_ADDRESS, '');
  if (rest !== text) rest = rest.replace(SED_END_ADDRESS, '');
  rest = rest.replace(/^\s*!?\s*/, '');
  if (rest.startsWith('{')) return rest.replace(/^\{\s*/, '') || undefined;
  const plain = /^(?:[pdPDgGhHxnN=l]|[qQ]\s*\d*)/.exec(rest)?.[0];
  const after = plain === undefined ? skipReplace(rest) : rest.slice(plain.length);
  // The command must end here; anything else would be an unknown flag.
  return after !== undefined && /^\s*($|[;\n}])/.test(after) ? after : undefined;
}

/** The text after `s/pattern/new/flags`; undefined if it can't be parsed. */
function skipReplace(text: string): string | undefined {
  const mark = /^s([!-/:-@`{|}~])/.exec(text)?.[1];
  if (mark === undefined) return undefined;
  const end = `\\${mark}`;
  const whole = `^s${end}${toRegex(end)}${end}(?:[^\\\\\\n${end}]|\\\\[\\s\\S])*${end}[gpiI\\d]*`;
  const found = new RegExp(whole).exec(text)?.[0];
  return found === undefined ? undefined : text.slice(found.length);
}

/**
 * Whether an awk program runs, writes and includes nothing, and only reads its operands. A `>` is
 * accepted where it can only be a comparison.
 */
function isHarmlessAwk(program: string): boolean {
  const code = program.split('\n').map(dropAwkStrings).join('\n');
  const bare = dropComparisons(code.replaceAll('||', '  ').replaceAll('>=', '  '));
  return !/[|>@`]|system|getline|close|fflush|extension|ARGV|SYMTAB|ENVIRON|\\\n/.test(bare);
}

/**
 * Removes the `>` of patterns and parentheses, where nothing can be redirected. Keeps all of them
 * if a regular expression or a comment may hide a brace or a parenthesis, or if a statement is in
 * parentheses: `for (;; print > "x")`.
 */
function dropComparisons(code: string): string {
  if (!code.includes('>') || /[/#]/.test(code)) return code;
  let rest = code;
  let prints = false;
  const actions: string[] = [];
  for (;;) {
    const next = rest.replace(/\([^(){}]*\)/g, (group) => {
      prints ||= /\bprint/.test(group);
      return group.replace(/[()>]/g, ' ');
    });
    const last = next.replace(/\{[^{}()]*\}/g, (action) => {
      actions.push(action);
      return ' ';
    });
    if (last === rest) break;
    rest = last;
  }
  return prints || /[(){}]/.test(rest) ? code : [rest.replaceAll('>', ' '), ...actions].join(' ');
}

/**
 * A string, or the text between two slashes: a regular expression, or an expression between two
 * divisions.
 */
const AWK_TOKEN = new RegExp(`"(?:[^"\\\\]|\\\\.)*"|\\/${toRegex('/"')}\\/`, 'g');

/**
 * Removes the strings of a line. Keeps the whole line if a slash may have consumed one of the
 * quotes.
 */
function dropAwkStrings(line: string): string {
  const bare = line.replace(AWK_TOKEN, (token) => {
    if (/^\//.test(token)) return token;
    return token.includes('/') ? "'" : ' ';
  });
  // In `/"/{print|"sh"}` the first quote is part of a regular expression, and `print|` isn't in a
  // string.
  const first = bare.indexOf('/');
  return first >= 0 && bare.lastIndexOf("'") > first ? line : bare;
}

/**
 * Whether a `jq` or `yq` program only uses its input: no environment, other files or modules, and no
 * text that is evaluated or run.
 */
export function isHarmlessQuery(program: string): boolean {
  return !UNSAFE_QUERY.test(dropKeys(program));
}

// `$` and a name may be apart, with comments between them.
const UNSAFE_QUERY =
  /(^|[^.\w"'])(env|strenv|envsubst|load|load_\w+|strload|import|include|input_filename|get_search_list|modulemeta|system|eval\s*\()\b|\$\s*(?:#|ENV\b)|\beval\s*\(/;

/**
 * Whether a `yq` expression only uses its input. The yq written in Go ends a word where it knows one:
 * `.a orload("x")` is `.a or load("x")`. So no word may contain the name of what reads or runs, such as
 * `xml_load` and `strenv`, except for keys and strings.
 */
export function isHarmlessExpression(expression: string): boolean {
  if (!isHarmlessQuery(expression)) return false;
  return !/load|env|eval|system/.test(dropStrings(expression).replace(YQ_NAMES, ' '));
}

/** `.payload`, and what a key doesn't begin with: `..load` and `1.5orload`. */
const YQ_NAMES = /\.{2,3}|\d+(?:\.\d+)?|\.[A-Za-z_][\w-]*(?![\w-]|\s*\()/g;

/**
 * The expression without the text of its strings. Keeps all if one of the quotes may belong to a key, as
 * in `.a" or load("x")`, or if there are comments or escapes, which may hold quotes and expressions.
 */
function dropStrings(expression: string): string {
  const parts = expression.split('"');
  const plain = parts.every((part, at) => {
    if (at % 2 === 1) return !/\.$/.test(parts[at - 1] ?? '') || /^[^ ]+$/.test(part);
    return at === parts.length - 1 || (at === 0 && part === '') || /[ ;{}:[\],|(=.]$/.test(part);
  });
  if (!plain || parts.length % 2 === 0 || /[\\#]/.test(expression)) return expression;
  return parts.filter((_, at) => at % 2 === 0).join('""');
}

/**
 * The program without the keys of objects: `{env: .x}`. A colon also follows the start of a slice, which
 * is evaluated: `path(.[env:])` prints the environment. Strings and comments may hide a bracket, so a
 * program with anything but plain strings keeps its keys.
 */
function dropKeys(program: string): string {
  const bare = program.replace(/"[^"\\]*"/g, '""');
  if (/["\\'#]/.test(bare.replaceAll('""', ''))) return program;
  const open: string[] = [];
  return bare.replace(/[{,]\s*\w+\s*:|[[\](){}]/g, (token) => {
    const [first = ''] = token;
    if (first === '{' || (token.length === 1 && /[[(]/.test(first))) open.push(first);
    else if (token.length === 1) open.pop();
    return token.length > 1 && open.at(-1) === '{' ? `${first}_:` : token;
  });
}
