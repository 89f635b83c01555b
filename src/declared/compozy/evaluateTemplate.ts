import { getMessage } from '../../base/faults.ts';
import { valueAt } from '../../base/json.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { Expression, GoTemplate } from './parseTemplate.ts';

/** The values of a template's roots. */
export type TemplateScope = Readonly<Record<string, unknown>>;

/** The longest result, so that `repeat` can't exhaust memory. Characters. */
const LONGEST = 100_000;

/**
 * Evaluates a template (spec B-44 … B-47): a lone expression keeps its native type, mixed text is text, a
 * missing key is an error unless `default` or `coalesce` catches it.
 */
export function evaluateTemplate(template: GoTemplate, scope: TemplateScope): Outcome<unknown> {
  try {
    const [first, ...others] = template.parts;
    if (first !== undefined && typeof first !== 'string' && others.length === 0) {
      return success(evaluate(first, scope));
    }
    const texts = template.parts.map((part) =>
      typeof part === 'string' ? part : toText(evaluate(part, scope)),
    );
    return success(bounded(texts.join('')));
  } catch (error) {
    return failure(`template execution error: ${getMessage(error)}`);
  }
}

/** Formats a value as Go prints it. */
export function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function evaluate(expression: Expression, scope: TemplateScope): unknown {
  if (expression.kind === 'literal') return expression.value;
  if (expression.kind === 'call') return call(expression.name, expression.args, scope);
  const value = valueAt(scope, expression.segments);
  if (value === undefined) throw new Error(`${expression.source}: no such key`);
  return value;
}

/** Evaluates an argument of a function that handles missing values. */
function evaluateOptional(expression: Expression, scope: TemplateScope): unknown {
  return expression.kind === 'path'
    ? valueAt(scope, expression.segments)
    : evaluate(expression, scope);
}

function call(name: string, args: readonly Expression[], scope: TemplateScope): unknown {
  if (name === 'default' || name === 'coalesce') {
    const values = args.map((each) => evaluateOptional(each, scope));
    // sprig: `default FALLBACK VALUE`, the piped value last.
    return (
      (name === 'default' ? values.toReversed() : values).find((value) => !isEmpty(value)) ??
      values[0]
    );
  }
  const values = args.map((each) => evaluate(each, scope));
  if (name === 'toString') return toText(values[0]);
  const run = FUNCTIONS[name];
  if (run === undefined) throw new Error(`${name} is not a function`);
  return bounded(run(values, values.map(toText)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false)
    return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function bounded(value: unknown): unknown {
  if (typeof value === 'string' && value.length > LONGEST)
    throw new Error('the result is too long');
  return value;
}

type TemplateFunction = (values: readonly unknown[], texts: readonly string[]) => unknown;

/** Arguments in sprig's order; the piped text comes last. */
const FUNCTIONS: Readonly<Record<string, TemplateFunction>> = {
  b64dec: (_, [text = '']) => Buffer.from(text, 'base64').toString('utf8'),
  b64enc: (_, [text = '']) => Buffer.from(text).toString('base64'),
  cat: (_, texts) => texts.join(' '),
  contains: (_, [part = '', text = '']) => text.includes(part),
  hasPrefix: (_, [part = '', text = '']) => text.startsWith(part),
  hasSuffix: (_, [part = '', text = '']) => text.endsWith(part),
  lower: (_, [text = '']) => text.toLowerCase(),
  nospace: (_, [text = '']) => text.replace(/\s+/g, ''),
  quote: (_, texts) => texts.map((text) => JSON.stringify(text)).join(' '),
  repeat: (_, [count = '0', text = '']) => repeat(text, Number(count)),
  replace: (_, [from = '', to = '', text = '']) => text.replaceAll(from, () => to),
  squote: (_, texts) => texts.map((text) => `'${text}'`).join(' '),
  title: (_, [text = '']) =>
    text.replace(/\p{L}+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1)),
  toJson: ([value]) => JSON.stringify(value ?? null),
  trim: (_, [text = '']) => text.trim(),
  trimAll: (_, [characters = '', text = '']) => trimAll(text, characters),
  trimPrefix: (_, [part = '', text = '']) =>
    text.startsWith(part) ? text.slice(part.length) : text,
  trimSuffix: (_, [part = '', text = '']) =>
    part !== '' && text.endsWith(part) ? text.slice(0, -part.length) : text,
  trunc: (_, [count = '0', text = '']) =>
    Number(count) < 0 ? text.slice(Number(count)) : text.slice(0, Number(count)),
  upper: (_, [text = '']) => text.toUpperCase(),
};

function repeat(text: string, count: number): string {
  if (!Number.isInteger(count) || count < 0) throw new Error('repeat needs a count');
  if (text.length * count > LONGEST) throw new Error('the result is too long');
  return text.repeat(count);
}

function trimAll(text: string, characters: string): string {
  const letters = [...text];
  while (letters.length > 0 && characters.includes(letters[0] ?? '')) letters.shift();
  while (letters.length > 0 && characters.includes(letters.at(-1) ?? '')) letters.pop();
  return letters.join('');
}
