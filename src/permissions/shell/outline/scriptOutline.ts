import {
  type Command,
  forEachChild,
  type HereDoc,
  type Redirect,
  type Script,
  type SyntaxNode,
} from 'unbash';
import { type Outline, OutlineBuilder } from './outline.ts';

interface Range {
  readonly pos: number;
  readonly end: number;
}

type Context = 'code' | 'word' | 'expansion';

/** The outline of a text as the analysis reads it. */
export function outlineScript(script: Script): Outline {
  const outline = new OutlineBuilder();
  visit(script, 'code', outline);
  return outline.build();
}

function visit(node: SyntaxNode, context: Context, outline: OutlineBuilder): void {
  const inside = enterNode(node, context, outline);
  if (inside !== undefined) forEachChild(node, (child) => visit(child, inside, outline));
}

/** Adds the node to the outline, and returns the context of its children; undefined to skip them. */
function enterNode(
  node: SyntaxNode,
  context: Context,
  outline: OutlineBuilder,
): Context | undefined {
  const { type, pos, end } = node;
  switch (type) {
    case 'Script':
      // The text in backticks with escapes: its positions are its own.
      if (node.source === undefined) return context;
      outline.nested.push(node.source);
      return undefined;
    case 'Command':
      addTest(node, outline);
      return context;
    case 'Word':
    case 'Assignment':
      if (context !== 'code') return context;
      outline.addWord(pos, end);
      // The other grammar loses this word before `2>`.
      if (type === 'Word' && node.text === '-') outline.replace(pos, '_');
      return 'word';
    case 'ArithmeticCommand':
    case 'TestCommand':
      outline.addWord(pos, end);
      return 'expansion';
    case 'Time':
      outline.addWord(pos, node.keywordEnd);
      for (const option of [node.posix, node.endOfOptions]) {
        if (option !== undefined) outline.addWord(option.pos, option.end);
      }
      return undefined;
    case 'FileDescriptorVariable':
      // A word to the other grammar: `{fd}>`.
      outline.addWord(pos, end);
      return undefined;
    case 'Redirect':
      return addRedirect(node, context, outline);
    case 'HereDoc':
      addHereDocument(node, outline);
      return undefined;
    default:
      return enterPart(node, context, outline);
  }
}

function enterPart(node: SyntaxNode, context: Context, outline: OutlineBuilder): Context {
  const { type, pos, end } = node;
  switch (type) {
    case 'CommandExpansion':
    case 'ArithmeticCommandExpansion':
      outline.addPart('c', pos, end);
      return 'code';
    case 'ProcessSubstitution':
      outline.addPart('p', pos, end);
      return 'code';
    case 'SingleQuoted':
      if (context !== 'expansion') outline.addPart('s', pos, end);
      return context;
    case 'DoubleQuoted':
      if (context !== 'expansion') outline.addPart('d', pos, end);
      return context;
    case 'LocaleString':
      if (context !== 'expansion') outline.addPart('d', pos + 1, end);
      return context;
    case 'AnsiCQuoted':
      addAnsi(node, context, outline);
      return context;
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      if (context !== 'expansion') outline.addPart('v', pos, end);
      return 'expansion';
    case 'ArithmeticExpansion':
      if (context !== 'expansion') outline.addPart('m', pos, end);
      return 'expansion';
    default:
      return context;
  }
}

/** The other grammar doesn't find the end behind an escaped backslash. */
function addAnsi(
  { pos, end, text }: Range & { readonly text: string },
  context: Context,
  outline: OutlineBuilder,
) {
  if (context !== 'expansion') outline.addPart('a', pos, end);
  for (const { index } of text.matchAll(/\\[\s\S]/g)) {
    if (text[index + 1] === '\\') outline.replace(pos + index, '__');
  }
}

/** The other grammar has an operator `>&-`, and doesn't know `<>`. */
function addRedirect(node: Redirect, context: Context, outline: OutlineBuilder) {
  const { operator, target, descriptor } = node;
  if (operator === '<>') outline.replace(descriptor?.end ?? node.pos, '> ');
  const closes = target?.text === '-' && target.pos === target.end - 1;
  return closes && /^[<>]&$/.test(operator) ? undefined : context;
}

/** The other grammar reads `[ … ]` as one expression. */
function addTest({ name, suffix }: Command, outline: OutlineBuilder): void {
  if (name?.text !== '[') return;
  const words = suffix.filter(({ type }) => type === 'Word');
  outline.addWord(name.pos, words.at(-1)?.end ?? name.end);
}

function addHereDocument({ delimiter, body, closing }: HereDoc, outline: OutlineBuilder): void {
  if (delimiter !== undefined) outline.addWord(delimiter.pos, delimiter.end);
  if (closing !== undefined) outline.addPart('h', closing.pos, closing.pos);
  for (const part of body.parts ?? []) {
    if (part.type !== 'Literal') outline.nested.push(`: ${part.text}`);
  }
}
