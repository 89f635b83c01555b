/**
 * Reading JSON and other untrusted values. All code that takes such a value apart uses these
 * functions.
 */

/** Undefined when the text is not JSON; the caller reports that in its own words. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as a record; empty when it is not an object. */
export function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** The value if it is a string, else undefined. */
export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A field of an unknown value; undefined when the value is not an object. */
export function fieldAt(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/** Follows a path of own properties; never reads from a prototype. */
export function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = fieldAt(value, key);
  }
  return value;
}

/**
 * Whether a JSON text nests arrays and objects more than `most` deep. Looks at the text, because
 * parsing it would take much memory already.
 */
export function isDeeperThan(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
    if (depth > most) return true;
  }
  return false;
}

/** The JSON of a value; undefined when it nests more than `most` deep: far deeper ones overflow the stack. */
export function toShallowJson(value: unknown, most: number): string | undefined {
  try {
    const text = JSON.stringify(value);
    return isDeeperThan(text, most) ? undefined : text;
  } catch {
    return undefined;
  }
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
