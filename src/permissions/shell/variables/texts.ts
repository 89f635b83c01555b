import type { SyntaxNode, WordPart } from 'unbash';
import { hasTexts, type VariableScope } from '../variableScope.ts';
import { isLiteralPart } from '../words.ts';

/** `$x`, `${x}` and `${x%…}`. */
export type VariablePart = Extract<
  WordPart,
  { readonly type: 'SimpleExpansion' | 'ParameterExpansion' }
>;

export function isExpansion(part: SyntaxNode | WordPart): part is VariablePart {
  return part.type === 'SimpleExpansion' || part.type === 'ParameterExpansion';
}

/**
 * The text of parts that aren't split, as in double quotes. Undefined: the line doesn't show it.
 * Variables count if they have exactly one text in the scope.
 */
export function joinParts(
  parts: readonly WordPart[],
  scope: VariableScope,
  quoted: boolean,
): string | undefined {
  let text = '';
  for (const part of parts) {
    const next = toText(part, scope, quoted);
    if (next === undefined) return undefined;
    text += next;
  }
  return text;
}

function toText(part: WordPart, scope: VariableScope, quoted: boolean): string | undefined {
  switch (part.type) {
    case 'SingleQuoted':
      return part.value;
    case 'AnsiCQuoted':
      return isLiteralPart(part) ? part.value : undefined;
    case 'Literal':
      return quoted
        ? toQuotedText(part.text, part.value)
        : isLiteralPart(part)
          ? part.value
          : undefined;
    case 'DoubleQuoted':
      return joinParts(part.parts, scope, true);
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      return getText(part, scope);
    case 'CommandExpansion':
      return getOutput(part.text, scope);
    default:
      return undefined;
  }
}

/** The text of a literal part in double quotes, if bash can't read it differently. */
function toQuotedText(text: string, value: string): string | undefined {
  const bare = text.replace(/\\[^\n]/g, '');
  return /[$`]|\\\n/.test(bare) ? undefined : value;
}

/** What a substitution such as `$(pwd)` prints, if the scope has it. */
function getOutput(text: string, scope: VariableScope): string | undefined {
  const value = scope.get(text);
  return hasTexts(value) && value.texts.length === 1 ? value.texts[0] : undefined;
}

/** The one text of an expansion. Undefined: it isn't known. */
export function getText(part: VariablePart, scope: VariableScope): string | undefined {
  const value = scope.get(getName(part) ?? '');
  if (!hasTexts(value) || value.texts.length !== 1) return undefined;
  const [text = ''] = value.texts;
  if (part.type === 'SimpleExpansion' || part.operation === undefined) return text;
  const { operation } = part;
  if (operation.type !== 'Remove') return undefined;
  return remove(text, operation.operator, operation.operand.text);
}

/** The variable or special parameter of `$x`, `${x}` and `${x%…}`; undefined for other forms. */
export function getName(part: VariablePart): string | undefined {
  if (part.type === 'SimpleExpansion') return /^\$([A-Za-z_]\w*|[?#$!])$/.exec(part.text)?.[1];
  if (part.prefix !== undefined || part.index !== undefined) return undefined;
  return /^([A-Za-z_]\w*|[?#$!])$/.test(part.parameter) ? part.parameter : undefined;
}

/** Only short texts and few stars, because each length of the text is tried. */
const REMOVE_LIMIT = 200;
const PATTERN = /^[\w.,/-]*(?:\*[\w.,/-]*){0,2}$/;

/** `${x#pattern}` and its siblings; in the pattern only `*` is special. */
function remove(
  text: string,
  operator: '#' | '##' | '%' | '%%',
  pattern: string,
): string | undefined {
  if (text.length > REMOVE_LIMIT || !PATTERN.test(pattern)) return undefined;
  const source = pattern.replace(/[./-]/g, '\\$&').replaceAll('*', '[\\s\\S]*');
  const matches = new RegExp(`^${source}$`);
  const front = operator.startsWith('#');
  const lengths = Array.from({ length: text.length + 1 }, (_, length) => length);
  if (operator.length === 2) lengths.reverse();
  const taken = lengths.find((length) =>
    matches.test(front ? text.slice(0, length) : text.slice(text.length - length)),
  );
  if (taken === undefined) return text;
  return front ? text.slice(taken) : text.slice(0, text.length - taken);
}
