import type { Tree, TreeCursor } from '@vscode/tree-sitter-wasm';
import { type Outline, OutlineBuilder, type PartKind } from './outline.ts';

/** Where the cursor is: among commands, in a word, or in an expansion, of which only commands count. */
type Context = 'code' | 'word' | 'expansion';

/** Nodes that are words or parts of words. */
const WORDS = new Set(
  `word number string raw_string ansi_c_string translated_string concatenation simple_expansion
  expansion command_substitution process_substitution arithmetic_expansion brace_expression
  extglob_pattern regex variable_assignment variable_name special_variable_name heredoc_start
  test_command`.split(/\s+/),
);

/** Tokens that are words, or parts of words, to the shell: builtins, and the dollar of `$"…"`. */
const KEYWORDS = new Set([
  'export',
  'declare',
  'local',
  'readonly',
  'typeset',
  'unset',
  'unsetenv',
  '$',
]);

const PARTS: Readonly<Record<string, PartKind>> = {
  raw_string: 's',
  string: 'd',
  ansi_c_string: 'a',
  simple_expansion: 'v',
  expansion: 'v',
  command_substitution: 'c',
  process_substitution: 'p',
  arithmetic_expansion: 'm',
};

/** The nodes that matter. The commands and lists around them don't. */
const SEEN: ReadonlySet<string> = new Set([
  ...WORDS,
  ...KEYWORDS,
  'heredoc_end',
  'compound_statement',
  'c_style_for_statement',
  'do_group',
]);

/** The outline of a text that the tree-sitter grammar could parse. */
export function outlineTree(tree: Tree, text: string): Outline {
  const outline = new OutlineBuilder();
  const cursor = tree.walk();
  try {
    visitAll(cursor, { outline, text });
  } finally {
    cursor.delete();
  }
  return outline.build();
}

interface Target {
  readonly outline: OutlineBuilder;
  readonly text: string;
}

/** Visits every node. Not recursive: `a && b && c …` is as deep as it is long. */
function visitAll(cursor: TreeCursor, target: Target): void {
  const contexts: Context[] = [];
  let context: Context = 'code';
  for (;;) {
    const inside = enterNode(cursor, context, target);
    if (inside !== undefined && cursor.gotoFirstChild()) {
      contexts.push(context);
      context = inside;
      continue;
    }
    while (!cursor.gotoNextSibling()) {
      const outer = contexts.pop();
      if (outer === undefined || !cursor.gotoParent()) return;
      context = outer;
    }
  }
}

/** In double quotes, the grammar counts the blanks before an expansion to it. */
function skipBlanks(text: string, start: number): number {
  let at = start;
  while (/\s/.test(text[at] ?? '')) at += 1;
  return at;
}

/** Adds the node to the outline, and returns the context of its children; undefined to skip them. */
function enterNode(
  cursor: TreeCursor,
  context: Context,
  { outline, text }: Target,
): Context | undefined {
  const type = cursor.nodeType;
  // The grammar sees no commands in backticks here. They are compared by themselves.
  if (type === 'comment' || type === 'heredoc_body') return undefined;
  // Each property of the cursor is a call into the grammar, so most nodes are left quickly.
  if (!SEEN.has(type)) return context;
  // The head of `for ((…))` is arithmetic.
  if (type === 'c_style_for_statement') return 'expansion';
  if (type === 'do_group') return 'code';
  const { startIndex: start, endIndex: end } = cursor;
  if (type === 'heredoc_end') outline.addPart('h', start, start);
  // `((…))` is arithmetic, or a group of the same.
  if (/^(arithmetic_expansion|compound_statement)$/.test(type) && text.startsWith('((', start)) {
    outline.addWord(start, end);
    return 'expansion';
  }
  const word = WORDS.has(type);
  if (word && context === 'code') outline.addWord(start, end);
  if (context === 'code' && KEYWORDS.has(type)) outline.addWord(start, end);
  const part = Object.hasOwn(PARTS, type) ? PARTS[type] : undefined;
  const commands = part === 'c' || part === 'p';
  if (part !== undefined && (commands || context !== 'expansion')) {
    outline.addPart(part, skipBlanks(text, start), end);
  }
  if (commands) return 'code';
  if (part === 'v' || part === 'm') return 'expansion';
  // `[` is a command with words, `[[` an expression.
  if (type === 'test_command') return text.startsWith('[[', start) ? 'expansion' : 'word';
  return word && context === 'code' ? 'word' : context;
}
