import type { Parser, Tree } from '@vscode/tree-sitter-wasm';
import { parse } from 'unbash';
import { toCodeSpan } from '../../../base/codeSpan.ts';
import { KB, MB } from '../../../base/units.ts';
import type { ShellAnalysis } from '../acts.ts';
import { loadGrammar } from '../grammars.ts';
import { findDifference, type Outline, type Rewriting } from './outline.ts';
import { outlineScript } from './scriptOutline.ts';
import { outlineTree } from './treeOutline.ts';

/**
 * Maximum processor time of parsing one text in milliseconds. By the clock, the same line would be allowed on an idle
 * machine and asked about on a busy one.
 */
const TIME_LIMIT = 2000;
/** Maximum size of the remembered texts. */
const CACHE_LIMIT = MB;
/** Here-documents in substitutions in here-documents. */
const NESTING_LIMIT = 10;

const TOO_DEEP = 'it is too deeply nested to check';

/** The results for texts, oldest first. */
const results = new Map<string, string | undefined>();
let cached = 0;

/**
 * Adds a doubt if an independent parser reads the analyzed texts differently. Skipped for a line
 * that can't be allowed anyway.
 */
export async function addSecondReading(
  analysis: ShellAnalysis,
  load: () => Promise<Parser | undefined> = () => loadGrammar('bash'),
): Promise<ShellAnalysis> {
  if (analysis.refused !== undefined || analysis.doubts.length > 0) return analysis;
  if (analysis.acts.some((act) => act.kind !== 'host' && isDoubtful(act))) return analysis;
  const readings = (analysis.readings ?? []).filter((text) => !isPlain(text));
  if (readings.length === 0) return analysis;
  const parser = await load();
  for (const text of readings) {
    const doubt =
      parser === undefined
        ? "Gatehouse can't load the grammar that checks the command."
        : check(text, parser);
    if (doubt !== undefined) return { ...analysis, doubts: [doubt] };
  }
  return analysis;
}

function isDoubtful(act: { readonly doubt?: string; readonly tightensOnly?: true }): boolean {
  return act.doubt !== undefined && act.tightensOnly !== true;
}

const WORD = '[\\w./:@,+=-]+';
const PLAIN = new RegExp(`^${WORD}(?: (?:(?:&&|\\|\\||[|;]) )?${WORD})*$`);
const KEYWORD =
  /(?:^| )(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|time|coproc|in|declare|typeset|local|readonly|export|unset|-)(?: |$)/;

/** Whether the text is so simple that no two shell parsers can differ. Most lines are. */
export function isPlain(text: string): boolean {
  return text.length < 8 * KB && PLAIN.test(text) && !KEYWORD.test(text);
}

function check(text: string, parser: Parser): string | undefined {
  if (results.has(text)) return results.get(text);
  const doubt = compareSafely(text, parser);
  results.set(text, doubt);
  cached += text.length;
  for (const oldest of results.keys()) {
    if (cached <= CACHE_LIMIT) break;
    results.delete(oldest);
    cached -= oldest.length;
  }
  return doubt;
}

function compareSafely(text: string, parser: Parser): string | undefined {
  try {
    return compare(text, parser, 0);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return TOO_DEEP;
  }
}

function compare(text: string, parser: Parser, nesting: number): string | undefined {
  if (nesting > NESTING_LIMIT) return TOO_DEEP;
  const own = outlineScript(parse(text));
  const tree = parseInTime(replace(text, own.replacements), parser);
  if (tree === null) return 'Checking the command takes too long. Split it into several.';
  let other: Outline;
  try {
    if (tree.rootNode.hasError) return 'The command may not be valid shell syntax.';
    other = outlineTree(tree, text);
  } finally {
    tree.delete();
  }
  // The other grammar splits more words than this one, so its own may touch.
  const range = own.touching ?? findDifference(own, other);
  if (range !== undefined)
    return `${toCodeSpan(quote(text, range))} can be read in more than one way.`;
  for (const each of own.nested) {
    const doubt = compare(each, parser, nesting + 1);
    if (doubt !== undefined) return doubt;
  }
  return undefined;
}

function parseInTime(text: string, parser: Parser): Tree | null {
  const start = process.cpuUsage();
  const isOver = () => {
    const { user, system } = process.cpuUsage(start);
    return user + system > TIME_LIMIT * 1000;
  };
  const tree = parser.parse(text, null, { progressCallback: isOver });
  if (tree === null) parser.reset();
  return tree;
}

function replace(text: string, replacements: readonly Rewriting[]): string {
  let result = '';
  let from = 0;
  for (const [at, next] of [...replacements].sort(([a], [b]) => a - b)) {
    result += text.slice(from, at) + next;
    from = at + next.length;
  }
  return result + text.slice(from);
}

function quote(text: string, range: string): string {
  const [start = 0, end = 0] = (range.match(/\d+/g) ?? []).map(Number);
  return text.slice(start, Math.min(end, start + 60));
}
