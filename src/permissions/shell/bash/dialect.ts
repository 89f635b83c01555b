import type { Command, SyntaxNode } from 'unbash';
import { toCodeSpan } from '../../../base/codeSpan.ts';

/**
 * What `sh` may read in another way than bash does. It is dash on Debian, ash on Alpine, ksh or
 * bash elsewhere, so only what all of them read alike is certain. Tested against the text outside
 * quotes, in which quotes are `'` and `"` only.
 */
const DIFFERENT: readonly (readonly [RegExp, string])[] = [
  [/\$['"]/, 'a quote after `$`'],
  [/\[\[/, '`[[`'],
  // Arithmetic in bash, a group of a group in dash: `((rm x))`.
  [/\(\(/, '`((`'],
  [/\$\[/, '`$[`'],
  // A command in the background, and a redirection of its own: `ls &> x`.
  [/&>/, '`&>`'],
  [/\|&/, '`|&`'],
  [/;&/, '`;&`'],
  [/[<>]&(?!\s*(?:\d|-)(?![\w-]))/, 'a redirection to a name after `&`'],
  [/[<>]\(/, 'a process substitution'],
  [/<</, 'a here-document'],
  // An argument in dash: `rm 10>x`, `rm {fd}>x`.
  [/(?:^|[\s;&|()])\d{2,}[<>]/, 'a descriptor of several digits'],
  [/\{\w*\}[<>]/, 'a descriptor in a variable'],
  [/\{[^\s{}]*(?:,|\.\.)/, 'a list in braces'],
  [/(?:^|[\s=:])~[+-]|[=:]~/, '`~`'],
  [/[?*+@!]\(/, 'an extended pattern'],
  [/=\(/, 'an array'],
  // The path of a program in zsh, which may be the shell of a user: `su -c 'cat =ls'`.
  [/(?:^|\s)=\w/, 'a word that starts with `=`'],
  [/!\s*!/, 'two `!`'],
];

/** Begins commands in double quotes, where quotes may be nested. */
const SUBSTITUTION = /\$\(|`/;

/** In double quotes, too. */
const DIFFERENT_IN_QUOTES: readonly (readonly [RegExp, string])[] = [
  [/\$\[/, '`$[`'],
  [/\$\(\(/, '`((`'],
  [/\$\{(?!(?:\w+|[@*#?$!-])\})/, 'an operation on a variable'],
  [/`[^`]*\\/, 'a backslash in backticks'],
];

/**
 * What in a text for `sh` shells read in different ways. Undefined if there is nothing of the kind.
 */
export function findDifferentReading(text: string): string | undefined {
  // Shells join lines alike only between words.
  if (/\S\\\n/.test(text)) return describe('a continued word');
  if (/(?<!\\)(?:\\\\)*\\$/.test(text)) return describe('a backslash at the end');
  const { bare, quoted } = splitQuotes(text);
  const code = SUBSTITUTION.test(quoted) ? text.replace(/\\[\s\S]/g, '_') : bare;
  const plain = code.replace(/\$\(\([\d\s+*-]*\)\)/g, '');
  for (const [pattern, what] of DIFFERENT) if (pattern.test(plain)) return describe(what);
  for (const [pattern, what] of DIFFERENT_IN_QUOTES) {
    if (pattern.test(plain) || pattern.test(quoted)) return describe(what);
  }
  return undefined;
}

function describe(what: string): string {
  return `The text may run in a shell other than bash, which may read ${what} differently.`;
}

/** The text with empty quotes and without comments, and what was in the double quotes. */
function splitQuotes(text: string): { readonly bare: string; readonly quoted: string } {
  let quoted = '';
  const bare = text.replace(
    /\\[\s\S]|(?<=^|[\s;&|()<>])#[^\n]*|'[^']*'|"((?:[^"\\]|\\[\s\S])*)"/g,
    (token, inner?: string) => {
      if (token.startsWith('\\')) return token === '\\\n' ? '' : '_';
      if (token.startsWith('#')) return '';
      if (inner !== undefined) quoted += `${inner.replace(/\\[$"\\]/g, '_')}\n`;
      return token.startsWith("'") ? "''" : '""';
    },
  );
  return { bare, quoted };
}

/**
 * Builtins of some shells only; in others they are unknown, or programs. `chdir` is `cd` in dash.
 */
const OWN_BUILTINS = new Set(
  `chdir source let declare typeset local builtin pushd popd dirs enable shopt mapfile readarray
  disown suspend logout caller compgen complete compopt bind history fc help print whence integer
  float nameref autoload function select time coproc namespace repeat foreach`.split(/\s+/),
);

/**
 * Describes the part of a node that dash and bash read or run differently; the text is for `sh`. `readings`:
 * the text, and the texts that contain it.
 */
export function findDifferentNode(
  node: SyntaxNode,
  readings: readonly string[],
): string | undefined {
  if (node.type === 'Command')
    return findDifferentCommand(
      node,
      readings.some((text) => PASSES.test(text)),
    );
  if (node.type === 'Pipeline') {
    const timed = node.prefixes.some(({ type }) => type === 'Time');
    return timed && !startsProgram(node.commands[0]) ? describe('`time`') : undefined;
  }
  return /^(TestCommand|ArithmeticCommand|ArithmeticFor|Select|Function|Coproc)$/.test(node.type)
    ? describe('a compound command')
    : undefined;
}

/** What a command prints may get to another one. */
const PASSES = /[|`<]|\$[({]/;

/** Of these dash's `time`, which is a program, starts another program than bash's. */
const SHELL_WORDS =
  /^(?:[:.]|\[|alias|bg|break|cd|command|continue|echo|eval|exec|exit|export|false|fc|fg|getopts|hash|jobs|kill|printf|pwd|read|readonly|return|set|shift|test|times|trap|true|type|ulimit|umask|unalias|unset|wait)$/;

/** Whether a command without assignments starts a program, whatever reads `time` before it. */
function startsProgram(node: SyntaxNode | undefined): boolean {
  if (node?.type !== 'Command' || node.prefix.length > 0) return false;
  const program = node.name?.value ?? '';
  return /^[\w./-]*$/.test(program) && !/^-|^$/.test(program) && !isShellWord(program);
}

function isShellWord(program: string): boolean {
  return SHELL_WORDS.test(program) || OWN_BUILTINS.has(program);
}

function findDifferentCommand(
  { name, args, prefix }: Command,
  passes: boolean,
): string | undefined {
  // Dash runs a program of this name, which may be a path: `CI+=./x`.
  const appended = prefix.find((item) => item.type === 'Assignment' && item.append === true);
  if (appended?.type === 'Assignment') return describe(toCodeSpan(appended.text));
  const program = name?.value ?? '';
  if (OWN_BUILTINS.has(program)) return describe(toCodeSpan(program));
  // `echo 'a\nb'` prints two lines in dash, and `echo -e a` prints `-e a`, which a pipe may pass on.
  if (program !== 'echo') return undefined;
  const odd = args.find(({ text }) => /\\/.test(text) || (passes && /^-\w*[eE]/.test(text)));
  return odd === undefined ? undefined : describe(toCodeSpan(`echo ${odd.text}`));
}
