/** URI templates (RFC 6570), as MCP servers name what they answer for. */

const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g;
const NAME = /^([\w.%-]{1,100})(?:\*|:\d{1,4})?$/;

interface Operator {
  readonly first: string;
  readonly between: string;
  /** Each value follows its name. */
  readonly named: boolean;
  /** What a URI may hold as it is stays. */
  readonly reserved: boolean;
}

const operator = (first: string, between: string, named = false, reserved = false): Operator => ({
  ...{ first, between, named, reserved },
});

const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['', operator('', ',')],
  ['+', operator('', ',', false, true)],
  ['#', operator('#', ',', false, true)],
  ['.', operator('.', '.')],
  ['/', operator('/', '/')],
  [';', operator(';', ';', true)],
  ['?', operator('?', '&', true)],
  ['&', operator('&', '&', true)],
]);

/** The names in a template, each once. Undefined if it is none that can be filled in. */
export function readVariables(template: string): readonly string[] | undefined {
  const names: string[] = [];
  for (const [, , list = ''] of template.matchAll(EXPRESSION)) {
    for (const each of list.split(',')) {
      const name = NAME.exec(each.trim())?.[1];
      if (name === undefined) return undefined;
      names.push(name);
    }
  }
  const rest = template.replace(EXPRESSION, '');
  return names.length === 0 || /[{}]/.test(rest) ? undefined : [...new Set(names)];
}

/** The URI with these values. What has no value is left out. */
export function fillTemplate(template: string, values: ReadonlyMap<string, string>): string {
  return template.replace(EXPRESSION, (_, sign: string, list: string) => {
    const { first, between, named, reserved } = OPERATORS.get(sign) ?? operator('', ',');
    const parts = list.split(',').flatMap((each) => {
      const name = NAME.exec(each.trim())?.[1] ?? '';
      const value = values.get(name)?.toWellFormed();
      if (value === undefined) return [];
      const text = reserved ? encodeURI(value) : encodeURIComponent(value);
      return [named ? `${name}=${text}` : text];
    });
    return parts.length === 0 ? '' : first + parts.join(between);
  });
}
