/** RFC 6901: the pointer of `key` inside the value at `pointer`. */
export function pointerTo(pointer: string, key: string | number): string {
  const segment = String(key);
  if (!/[~/]/.test(segment)) return `${pointer}/${segment}`;
  return `${pointer}/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The segments of an RFC 6901 pointer; none for the whole document. */
export function toSegments(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A JSON object or YAML mapping. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** An own property; an explicit null counts as absent. */
export function getField(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? (object[key] ?? undefined) : undefined;
}

/** The pointer of a field, or of its parent if the field is absent. */
export function getFieldPointer(object: JsonObject, pointer: string, key: string): string {
  return Object.hasOwn(object, key) ? pointerTo(pointer, key) : pointer;
}

/** The JSON name of the value's type. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'object' ? 'object' : typeof value;
}
