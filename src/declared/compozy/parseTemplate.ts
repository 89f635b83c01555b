/** A parsed template: literal text and expressions, in order. */
export interface GoTemplate {
  readonly source: string;
  readonly parts: readonly (string | Expression)[];
}

export type Expression =
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'path'; readonly segments: readonly string[]; readonly source: string }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] };

export type ParsedTemplate =
  | { readonly ok: true; readonly template: GoTemplate }
  | { readonly ok: false; readonly error: string };

/** The functions of the subset: sprig's common ones for text (spec decision 51). */
export const TEMPLATE_FUNCTIONS: ReadonlySet<string> = new Set([
  'b64dec',
  'b64enc',
  'cat',
  'coalesce',
  'contains',
  'default',
  'hasPrefix',
  'hasSuffix',
  'lower',
  'nospace',
  'quote',
  'repeat',
  'replace',
  'squote',
  'title',
  'toJson',
  'toString',
  'trim',
  'trimAll',
  'trimPrefix',
  'trimSuffix',
  'trunc',
  'upper',
]);

/** The roots of a template's paths (spec B-47). */
export const TEMPLATE_ROOTS: ReadonlySet<string> = new Set([
  'env',
  'input',
  'output',
  'trigger',
  'tools',
  'tasks',
  'agents',
  'workflow',
  'project',
]);

/**
 * Parses the subset of Go's text/template: `{{ .root.path }}`, pipes and the functions above.
 * Anything else is an error that names the expression.
 */
export function parseGoTemplate(source: string): ParsedTemplate {
  const parts: (string | Expression)[] = [];
  let rest = source;
  for (let open = rest.indexOf('{{'); open >= 0; open = rest.indexOf('{{')) {
    const close = rest.indexOf('}}', open);
    if (close < 0) return reject('unclosed action', rest.slice(open));
    const inner = rest.slice(open + 2, close);
    const before = rest.slice(0, open);
    parts.push(/^-\s/.test(inner) ? before.trimEnd() : before);
    const expression = parseAction(inner.replace(/^-(?=\s)/, '').replace(/(?<=\s)-$/, ''));
    if (typeof expression === 'string') return reject(expression, `{{${inner}}}`);
    if (expression !== undefined) parts.push(expression);
    rest = rest.slice(close + 2);
    if (/\s-$/.test(inner)) rest = rest.trimStart();
  }
  parts.push(rest);
  return { ok: true, template: { source, parts: parts.filter((part) => part !== '') } };
}

function reject(what: string, expression: string): ParsedTemplate {
  return { ok: false, error: `failed to parse template: ${what} in ${expression.slice(0, 200)}` };
}

type Token =
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'path' | 'name' | 'mark'; readonly text: string };

const TOKEN =
  /\s*(?:("(?:[^"\\\n]|\\.)*")|`([^`]*)`|(-?\d+(?:\.\d+)?)(?![\w.])|((?:\.[A-Za-z_][\w-]*)+)|([A-Za-z_]\w*)|([|()]))/y;

/** The expression of one action, undefined for a comment, or the error's text. */
function parseAction(source: string): Expression | string | undefined {
  if (/^\s*\/\*[\s\S]*\*\/\s*$/.test(source)) return undefined;
  const tokens = tokenize(source.trim());
  if (typeof tokens === 'string') return tokens;
  if (tokens.length === 0) return 'missing value';
  const state = { tokens, at: 0 };
  const expression = parsePipeline(state, 0);
  if (typeof expression === 'string') return expression;
  return state.at < tokens.length ? 'unexpected text' : expression;
}

function tokenize(source: string): Token[] | string {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(source);
    if (match === null) return 'unsupported syntax';
    const [whole, quoted, raw, number, path, name, mark] = match;
    at += whole.length;
    if (quoted !== undefined) {
      const value = unquote(quoted);
      if (value === undefined) return 'bad string';
      tokens.push({ kind: 'literal', value });
    } else if (raw !== undefined) tokens.push({ kind: 'literal', value: raw });
    else if (number !== undefined) tokens.push({ kind: 'literal', value: Number(number) });
    else if (path !== undefined) tokens.push({ kind: 'path', text: path });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name });
    else tokens.push({ kind: 'mark', text: mark ?? '' });
  }
  return tokens;
}

function unquote(quoted: string): string | undefined {
  try {
    const value: unknown = JSON.parse(quoted);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

interface State {
  readonly tokens: readonly Token[];
  at: number;
}

/** The deepest nesting of parentheses. */
const NESTED = 20;

function parsePipeline(state: State, depth: number): Expression | string {
  if (depth > NESTED) return 'nested too deeply';
  let value = parseCommand(state, depth);
  while (typeof value !== 'string' && isMark(state, '|')) {
    state.at++;
    const next = parseCommand(state, depth);
    if (typeof next === 'string') return next;
    if (next.kind !== 'call') return 'a pipe must lead to a function';
    // The piped value is the last argument, as in Go.
    value = { ...next, args: [...next.args, value] };
  }
  return value;
}

function parseCommand(state: State, depth: number): Expression | string {
  const token = state.tokens[state.at];
  if (token?.kind !== 'name' || token.text in CONSTANTS) return parseOperand(state, depth);
  if (!TEMPLATE_FUNCTIONS.has(token.text)) return `unsupported function or keyword "${token.text}"`;
  state.at++;
  const args: Expression[] = [];
  while (state.at < state.tokens.length && !isMark(state, '|') && !isMark(state, ')')) {
    const argument = parseOperand(state, depth);
    if (typeof argument === 'string') return argument;
    args.push(argument);
  }
  return { kind: 'call', name: token.text, args };
}

const CONSTANTS: Readonly<Record<string, unknown>> = {
  __proto__: null,
  true: true,
  false: false,
  nil: null,
};

function parseOperand(state: State, depth: number): Expression | string {
  const token = state.tokens[state.at++];
  if (token === undefined) return 'missing value';
  if (token.kind === 'literal') return token;
  if (token.kind === 'path') return parsePath(token.text);
  if (token.kind === 'name') {
    if (token.text in CONSTANTS) return { kind: 'literal', value: CONSTANTS[token.text] };
    return `unsupported function or keyword "${token.text}"`;
  }
  if (token.text !== '(') return `unexpected "${token.text}"`;
  const inner = parsePipeline(state, depth + 1);
  if (typeof inner === 'string') return inner;
  if (!isMark(state, ')')) return 'unclosed parenthesis';
  state.at++;
  return inner;
}

function parsePath(source: string): Expression | string {
  const segments = source.slice(1).split('.');
  const [root = ''] = segments;
  return TEMPLATE_ROOTS.has(root) ? { kind: 'path', segments, source } : `unknown name "${source}"`;
}

function isMark(state: State, text: string): boolean {
  const token = state.tokens[state.at];
  return token?.kind === 'mark' && token.text === text;
}

/** Every path a template reads. */
export function templatePaths(template: GoTemplate): readonly (readonly string[])[] {
  const paths: (readonly string[])[] = [];
  const visit = (expression: Expression): void => {
    if (expression.kind === 'path') paths.push(expression.segments);
    if (expression.kind === 'call') expression.args.forEach(visit);
  };
  for (const part of template.parts) if (typeof part !== 'string') visit(part);
  return paths;
}

/** Whether the template has a fallback for missing values. */
export function hasFallback(template: GoTemplate): boolean {
  return template.parts.some(
    (part) =>
      typeof part !== 'string' && part.kind === 'call' && /^(?:default|coalesce)$/.test(part.name),
  );
}
