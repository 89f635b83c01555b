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
  return hasFiniteNumbers(value) ? { value } : { fault: 'it has a number that is too large' };
}

function hasFiniteNumbers(root: unknown): boolean {
  const waiting = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'number' && !Number.isFinite(value)) return false;
    if (typeof value === 'object' && value !== null)
      for (const each of Object.values(value)) waiting.push(each);
  }
  return true;
}
