import path from 'node:path';
import { shorten, showHidden } from '../base/hidden.ts';
import { fieldAt } from '../base/json.ts';
import type { ToolDisplay } from '../base/stream/chunk.ts';
import type { Subject } from '../permissions/rules/subject.ts';
import type { Operation } from './operation.ts';
import { getPaths } from './subjects.ts';

/** The display of a call before it runs. Its files are those that were evaluated. */
export function describeCall(
  operation: Operation,
  input: unknown,
  subjects: readonly Subject[],
): ToolDisplay {
  const locations = locate(subjects, input);
  return {
    title: toOneLine(operation.title?.(input) ?? '') || operation.id,
    kind: operation.kind,
    ...(locations.length > 0 && { locations }),
  };
}

/** The model writes parts of a title, so keep it to one line without hidden characters. */
function toOneLine(title: string): string {
  return shorten(showHidden(title.replace(/[ \t\n]+/g, ' ')).trim(), TITLE_LENGTH);
}

const TITLE_LENGTH = 300;

function locate(subjects: readonly Subject[], input: unknown) {
  const offset = fieldAt(input, 'offset');
  const line = typeof offset === 'number' && offset > 0 ? { line: offset } : {};
  return getPaths(subjects).map((file) => ({ path: path.normalize(file), ...line }));
}
