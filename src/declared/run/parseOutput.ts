import { parseJson } from '../../base/json.ts';

/** Why an output is not one JSON value that can be passed on. */
export interface OutputFault {
  readonly fault: string;
}

/**
 * The JSON value of an output. `JSON.parse` turns a number such as `1e400` into Infinity, which JSON
 * can't hold, and decoding replaces bytes that are not UTF-8: both would change the value unnoticed.
 */
export function parseOutput(
  text: string,
  isUtf8: boolean,
): { readonly value: unknown } | OutputFault {
  if (!isUtf8) return { fault: 'it is not valid UTF-8' };
  const value = parseJson(text);
  if (value === undefined) return { fault: 'it is not a single JSON value' };
  const fault = findFault(value);
  return fault === undefined ? { value } : { fault };
}

/** The most levels of an output: whatever handles it later calls itself for each. */
const DEPTH = 500;

function findFault(root: unknown): string | undefined {
  let level = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH) return `it is nested deeper than ${DEPTH} levels`;
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'number' && !Number.isFinite(value))
        return 'it has a number that is too large';
      if (typeof value === 'object' && value !== null)
        for (const each of Object.values(value)) next.push(each);
    }
    level = next;
  }
  return undefined;
}
