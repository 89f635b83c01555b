import type { Node } from 'jsonc-parser';
import type { TextEdit } from '../../declared/manifest/diagnostic.ts';

/** A change of the file that the user can choose. */
export interface RuleFix {
  readonly title: string;
  /** The fix that an editor applies without asking. At most one for each diagnostic. */
  readonly preferred?: true;
  edits(): readonly TextEdit[];
}

/** Replaces a value or key. */
export function replaceNode({ offset, length }: Node, value: string): TextEdit {
  return { offset, length, text: JSON.stringify(value) };
}

/** Adds a property at the end of an object. */
export function addProperty(node: Node, name: string, value: string): readonly TextEdit[] {
  const last = node.children?.at(-1);
  const property = `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
  if (last === undefined) return [{ offset: node.offset + 1, length: 0, text: property }];
  return [{ offset: last.offset + last.length, length: 0, text: `, ${property}` }];
}
