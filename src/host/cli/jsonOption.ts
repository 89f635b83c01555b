import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { getMessage } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';

/**
 * The value of an option that takes JSON or a file: text that starts with `[` or `{` is JSON. A
 * file with such a name is written as `./[name`. `name` is how an error names a value given inline.
 */
export async function readJsonOption(
  value: string,
  name: string,
  cwd: string,
): Promise<Outcome<{ readonly value: unknown; readonly name: string }>> {
  const inline = /^\s*[[{]/.test(value);
  const from = inline ? name : value;
  try {
    const text = inline ? value : await readFile(path.resolve(cwd, value), 'utf8');
    const parsed = parseJson(text, from);
    return parsed.ok ? success({ value: parsed.data, name: from }) : parsed;
  } catch (fault) {
    return failure(`${from}: ${getMessage(fault)}`);
  }
}

/** Parses JSON from outside. `name` begins the error message. */
export function parseJson(text: string, name: string): Outcome<unknown> {
  try {
    // Some shells and editors write a byte order mark.
    return success(JSON.parse(text.replace(/^\ufeff/, '')));
  } catch (fault) {
    return failure(`${name}: ${getMessage(fault)}`);
  }
}
