import { asString, fieldAt } from '../../base/json.ts';

/** A session that a command is run on. */
export interface ChosenSession {
  readonly id: string;
  /** The title as it is shown. */
  readonly label: string;
  /** The title as it is stored; empty if there is none. */
  readonly title: string;
}

/** The session of the row that a command of the view was run on. Undefined for anything else. */
export function toListed(item: unknown): ChosenSession | undefined {
  if (fieldAt(item, 'kind') !== 'session') return undefined;
  const id = asString(fieldAt(item, 'id'));
  const label = asString(fieldAt(item, 'label'));
  const title = asString(fieldAt(fieldAt(item, 'entry'), 'title')) ?? '';
  return id === undefined || label === undefined ? undefined : { id, label, title };
}
