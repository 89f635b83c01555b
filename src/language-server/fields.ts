import type { DialectId } from '../base/tools/dialectFacts.ts';
import { getDialect } from '../declared/dialects.ts';
import type { Field } from '../declared/manifest/field.ts';

/** The field that a pointer leads to, or undefined. */
export function fieldAt(dialect: DialectId, pointer: string): Field | undefined {
  const cut = pointer.lastIndexOf('/');
  const name = pointer.slice(cut + 1);
  return findFields(dialect, pointer.slice(0, Math.max(cut, 0)))?.find(
    (field) => field.name === name,
  );
}

/** The fields that the object at a pointer may have. */
export function findFields(dialect: DialectId, pointer: string): readonly Field[] | undefined {
  const { fields } = getDialect(dialect);
  const holder = pointer.replace(/^\/tools\/\d+/, '/tools/*');
  return Object.hasOwn(fields, holder) ? fields[holder] : undefined;
}
