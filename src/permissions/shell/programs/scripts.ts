import type { ShellWord } from '../acts.ts';
import type { Options } from './options.ts';

/** Finds the script among the words, and says that an allow must spell it out when it may do more than print. */
export function markScripts(
  kind: 'sed' | 'awk',
  words: readonly ShellWord[],
  { operands, risky, runs }: Options,
): void {
  let given = false;
  const plain = new Set(operands);
  words.forEach(({ value }, index) => {
    // GNU sed takes any beginning of `--expression`, and `-e` behind the operands.
    const option = kind === 'sed' ? /^(?:-[a-zA-Z]*?e|--e\w*=?)([\s\S]*)$/.exec(value) : null;
    if (option === null || plain.has(index)) return;
    given = true;
    const at = option[1] === '' ? index + 1 : index;
    const script = option[1] === '' ? words[at]?.value : option[1];
    if (script === undefined || !isHarmlessSed(script)) risky.add(index).add(at);
  });
  if (given || runs.length > 0) return;
  const [first] = operands;
  if (first === undefined) return;
  const script = words[first]?.value ?? '';
  if (!(kind === 'sed' ? isHarmlessSed(script) : isHarmlessAwk(script))) risky.add(first);
}

/** Whether a sed script only selects, prints and replaces: no `e`, `w`, `r` and nothing we do not know. */
function isHarmlessSed(script: string): boolean {
  let rest = script.trim();
  // One command a round; every round takes at least one character away.
  while (rest !== '') {
    const next = skipSedCommand(rest);
    if (next === undefined) return false;
    rest = next.replace(/^[\s;}]+/, '');
  }
  return true;
}

/**
 * A regular expression that ends at the same mark for every sed and awk. Newer ones take a mark
 * inside brackets for a character, older ones for the end, so there it stands for neither:
 * `s/[/]/p;/e;s,/,2p;1,2p` runs what it reads with GNU sed 4.9. `marks` are written for a class.
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
  // A command must end here: anything else would be a flag we do not know.
  return after !== undefined && /^\s*($|[;\n}])/.test(after) ? after : undefined;
}

/** What follows `s/pattern/new/flags`; undefined when it cannot be read. */
function skipReplace(text: string): string | undefined {
  const mark = /^s([!-/:-@`{|}~])/.exec(text)?.[1];
  if (mark === undefined) return undefined;
  const end = `\\${mark}`;
  const whole = `^s${end}${toRegex(end)}${end}(?:[^\\\\\\n${end}]|\\\\[\\s\\S])*${end}[gpiI\\d]*`;
  const found = new RegExp(whole).exec(text)?.[0];
  return found === undefined ? undefined : text.slice(found.length);
}

/**
 * Whether an awk program neither runs, writes nor includes anything, and reads its operands alone.
 * A `>` passes where it can only compare.
 */
function isHarmlessAwk(program: string): boolean {
  const code = program.split('\n').map(dropAwkStrings).join('\n');
  const bare = dropComparisons(code.replaceAll('||', '  ').replaceAll('>=', '  '));
  return !/[|>@`]|system|getline|close|fflush|extension|ARGV|SYMTAB|ENVIRON|\\\n/.test(bare);
}

/**
 * A program without the `>` of patterns and of parentheses, where nothing can be redirected. Where a
 * slash may hide a brace or a parenthesis, all stay.
 */
function dropComparisons(code: string): string {
  if (!code.includes('>') || code.includes('/')) return code;
  let rest = code;
  const actions: string[] = [];
  for (;;) {
    const next = rest.replace(/\([^(){}]*\)/g, (group) => group.replace(/[()>]/g, ' '));
    const last = next.replace(/\{[^{}()]*\}/g, (action) => {
      actions.push(action);
      return ' ';
    });
    if (last === rest) break;
    rest = last;
  }
  return /[(){}]/.test(rest) ? code : [rest.replaceAll('>', ' '), ...actions].join(' ');
}

/** A string, or from slash to slash a regular expression or what stands between two divisions. */
const AWK_TOKEN = new RegExp(`"(?:[^"\\\\]|\\\\.)*"|\\/${toRegex('/"')}\\/`, 'g');

/** A line without its strings. Where a slash may have made one of its quotes, it stays whole. */
function dropAwkStrings(line: string): string {
  const bare = line.replace(AWK_TOKEN, (token) => {
    if (/^\//.test(token)) return token;
    return token.includes('/') ? "'" : ' ';
  });
  // In `/"/{print|"sh"}` the first quote is a regular expression, and `print|` no string.
  return /\/.*'/.test(bare) ? line : bare;
}

/** Whether a `jq` or `yq` program only looks at what it is given: no environment, no other file, no module. */
export function isHarmlessQuery(program: string): boolean {
  return !/(^|[^.\w"'])(env|strenv|envsubst|load|load_\w+|import|include|input_filename|get_search_list)\b(?!\s*:)|\$ENV\b/.test(
    program,
  );
}
