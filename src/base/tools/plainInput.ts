/**
 * The arguments of a call of which only what the rules look at is known: a command line, a path, an
 * address. Undefined for a tool that is not one of the product's own.
 */
export function plainInput(tool: string, text: string): object | undefined {
  return Object.hasOwn(INPUTS, tool) ? INPUTS[tool]?.(text) : undefined;
}

const INPUTS: Readonly<Record<string, (text: string) => object>> = {
  bash: (command) => ({ command }),
  read: (path) => ({ path }),
  write: (path) => ({ path, content: '' }),
  edit: (path) => ({ path, old_string: 'a', new_string: 'b' }),
  glob: (path) => ({ path, pattern: '*' }),
  grep: (path) => ({ path, pattern: 'a' }),
  web_fetch: (url) => ({ url }),
  web_search: (query) => ({ query }),
};

/** The tools whose rules can be asked about with one text. */
export const PLAIN_TOOLS: readonly string[] = Object.keys(INPUTS);
