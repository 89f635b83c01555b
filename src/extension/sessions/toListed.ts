import { fieldAt } from '../../base/json.ts';

/** The id and title of the session that a command of the view was run on. Undefined for anything else. */
export function toListed(
  item: unknown,
): { readonly id: string; readonly label: string } | undefined {
  const id = fieldAt(item, 'id');
  const label = fieldAt(item, 'label');
  if (fieldAt(item, 'kind') !== 'session') return undefined;
  return typeof id === 'string' && typeof label === 'string' ? { id, label } : undefined;
}
