import { isRecord } from '../../base/json.ts';

/**
 * Fields with the arguments and result of a call: the agent's own data, in which `_meta` has no
 * special meaning.
 */
const DATA: ReadonlySet<string> = new Set(['rawInput', 'rawOutput']);

/**
 * Removes our part of every `_meta` in a hosted agent's message, including those of diffs. That
 * part holds the gate's decisions, and an agent must not forge them.
 */
export function withoutOurs<Message extends object>(message: Message): Message {
  // Only fields of `_meta` objects are left out, and `_meta` may hold any.
  return strip(message) as Message;
}

/** The same value when there is nothing to leave out. */
function strip(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(strip);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).map(([key, field]): [string, unknown] => [
    key,
    stripField(key, field),
  ]);
  const same = fields.every(([key, field]) => field === value[key]);
  return same ? value : Object.fromEntries(fields);
}

function stripField(key: string, field: unknown): unknown {
  if (DATA.has(key)) return field;
  if (key !== '_meta') return strip(field);
  // The other parts of `_meta` are the agent's own, and may be nested to any depth.
  if (!isRecord(field) || !Object.hasOwn(field, 'gatehouse')) return field;
  const { gatehouse: _, ...foreign } = field;
  return foreign;
}
